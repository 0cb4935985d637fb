package engine

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// key is one field of a configuration's struct.
type key struct {
	name     string
	at       int
	optional bool
	fallback any
	doc      string
	min, max string
}

// keysOf reads the tags of a struct's fields; `json:"-"` leaves one out.
func keysOf(of reflect.Type) []key {
	keys := make([]key, 0, of.NumField())
	for at := range of.NumField() {
		field := of.Field(at)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		k := key{name: name, at: at, doc: field.Tag.Get("doc"), min: field.Tag.Get("min"), max: field.Tag.Get("max")}
		text, has := field.Tag.Lookup("default")
		k.optional = has || field.Type.Kind() == reflect.Pointer
		if has {
			k.fallback = text
			if field.Type.Kind() != reflect.String {
				value, err := parseJSON(text)
				if err != nil {
					panic("the default of " + of.String() + "." + field.Name + " is no JSON: " + text)
				}
				k.fallback = value
			}
		}
		keys = append(keys, k)
	}
	return keys
}

// schemaOf writes the JSON Schema of a configuration.
func schemaOf[C any]() string {
	schema := schema(reflect.TypeFor[C]())
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	text, err := json.Marshal(schema)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func schema(of reflect.Type) map[string]any {
	switch of.Kind() {
	case reflect.Pointer:
		return schema(of.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schema(of.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schema(of.Elem())}
	case reflect.Struct:
		return schemaOfStruct(of)
	}
	return map[string]any{}
}

func schemaOfStruct(of reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, k := range keysOf(of) {
		property := schema(of.Field(k.at).Type)
		if of.Field(k.at).Type.Kind() == reflect.Pointer {
			property["type"] = []any{property["type"], "null"}
		}
		if k.doc != "" {
			property["description"] = k.doc
		}
		if k.fallback != nil {
			property["default"] = k.fallback
		}
		if n, err := strconv.ParseFloat(k.min, 64); err == nil {
			property["minimum"] = n
		}
		if n, err := strconv.ParseFloat(k.max, 64); err == nil {
			property["maximum"] = n
		}
		properties[k.name] = property
		if !k.optional {
			required = append(required, k.name)
		}
	}
	schema := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}
