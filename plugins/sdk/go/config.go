package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// NoConfig is the configuration of a plugin that has none. One that has some is a struct:
//
//	type Config struct {
//		Item  string  `json:"item" doc:"What is ordered."`
//		Limit uint32  `json:"limit" default:"20" min:"1" max:"1000" doc:"The most items of one answer."`
//		Token *string `json:"token" doc:"The bearer token; that of setup where absent."`
//	}
//
// Fields are texts, numbers, booleans, slices, maps by text, structs, pointers to these, or any. A field is required
// unless it is a pointer or has a default: a text as it is, all else as JSON. min and max bound a number. doc becomes the
// description in the JSON Schema, which `engine plugin inspect` shows. Unknown keys are refused by name.
type NoConfig struct{}

// parseConfig reads a configuration. The error names the key and what was expected there.
func parseConfig[C any](text string) (config C, err error) {
	value, err := parseJSON(text)
	if err != nil {
		return config, errors.New("config: " + err.Error())
	}
	return config, decodeInto("config", value, &config, false)
}

// parseJSON keeps numbers as they are written: a float64 does not hold every uint64.
func parseJSON(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	return value, decoder.Decode(&value)
}

// decodeInto reads a value of encoding/json into what a pointer points to. lax lets unknown keys pass.
func decodeInto(path string, value, into any, lax bool) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer {
		panic("to be read into a pointer: " + path)
	}
	return decode(path, value, target.Elem(), lax)
}

func decode(path string, value any, into reflect.Value, lax bool) error {
	wrong := func(expected string) error {
		return fmt.Errorf("%s: %s, expected %s", path, describeJSON(value), expected)
	}
	switch into.Kind() {
	case reflect.Pointer:
		if value == nil {
			return nil
		}
		into.Set(reflect.New(into.Type().Elem()))
		return decode(path, value, into.Elem(), lax)
	case reflect.Interface:
		if value != nil {
			into.Set(reflect.ValueOf(value))
		}
	case reflect.String:
		text, ok := value.(string)
		if !ok {
			return wrong("a text")
		}
		into.SetString(text)
	case reflect.Bool:
		is, ok := value.(bool)
		if !ok {
			return wrong("true or false")
		}
		into.SetBool(is)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		number, _ := value.(json.Number)
		n, err := strconv.ParseInt(string(number), 10, into.Type().Bits())
		if err != nil {
			return wrong("a whole number")
		}
		into.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		number, _ := value.(json.Number)
		n, err := strconv.ParseUint(string(number), 10, into.Type().Bits())
		if err != nil {
			return wrong("a whole number from 0")
		}
		into.SetUint(n)
	case reflect.Float32, reflect.Float64:
		number, _ := value.(json.Number)
		n, err := strconv.ParseFloat(string(number), into.Type().Bits())
		if err != nil {
			return wrong("a number")
		}
		into.SetFloat(n)
	case reflect.Slice:
		list, ok := value.([]any)
		if !ok {
			return wrong("a list")
		}
		into.Set(reflect.MakeSlice(into.Type(), len(list), len(list)))
		for i, item := range list {
			if err := decode(path+"["+strconv.Itoa(i)+"]", item, into.Index(i), lax); err != nil {
				return err
			}
		}
	case reflect.Map:
		object, ok := value.(map[string]any)
		if !ok {
			return wrong("a table")
		}
		into.Set(reflect.MakeMapWithSize(into.Type(), len(object)))
		for key, item := range object {
			element := reflect.New(into.Type().Elem()).Elem()
			if err := decode(path+"."+key, item, element, lax); err != nil {
				return err
			}
			into.SetMapIndex(reflect.ValueOf(key).Convert(into.Type().Key()), element)
		}
	case reflect.Struct:
		object, ok := value.(map[string]any)
		if !ok {
			return wrong("a table")
		}
		return decodeStruct(path, object, into, lax)
	default:
		panic(path + ": a configuration has no " + into.Type().String())
	}
	return nil
}

func decodeStruct(path string, object map[string]any, into reflect.Value, lax bool) error {
	keys, taken := keysOf(into.Type()), 0
	for _, k := range keys {
		value, given := object[k.name]
		if given {
			taken++
		}
		if !given || value == nil && k.optional {
			if !k.optional {
				return fmt.Errorf("%s: missing field `%s`", path, k.name)
			}
			if k.fallback == nil {
				continue
			}
			value = k.fallback
		}
		if err := decode(path+"."+k.name, value, into.Field(k.at), lax); err != nil {
			return err
		}
		if err := k.within(path+"."+k.name, into.Field(k.at)); err != nil {
			return err
		}
	}
	if taken == len(object) || lax {
		return nil
	}
	return unknown(path, object, keys)
}

// unknown names the first key, by the alphabet, that is none of these.
func unknown(path string, object map[string]any, keys []key) error {
	first, names := "", make([]string, len(keys))
	for at, k := range keys {
		names[at] = "`" + k.name + "`"
	}
	for name := range object {
		known := false
		for _, k := range keys {
			known = known || k.name == name
		}
		if !known && (first == "" || name < first) {
			first = name
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("%s.%s: unknown field, there are none", path, first)
	}
	return fmt.Errorf("%s.%s: unknown field, expected one of %s", path, first, strings.Join(names, ", "))
}

// within holds a number to its bounds.
func (k *key) within(path string, value reflect.Value) error {
	var n float64
	switch {
	case k.min == "" && k.max == "":
		return nil
	case value.CanInt():
		n = float64(value.Int())
	case value.CanUint():
		n = float64(value.Uint())
	case value.CanFloat():
		n = value.Float()
	default:
		return nil
	}
	low, errLow := strconv.ParseFloat(k.min, 64)
	high, errHigh := strconv.ParseFloat(k.max, 64)
	if errLow == nil && n < low || errHigh == nil && n > high {
		switch {
		case k.max == "":
			return fmt.Errorf("%s: %v is below %s", path, value, k.min)
		case k.min == "":
			return fmt.Errorf("%s: %v is above %s", path, value, k.max)
		}
		return fmt.Errorf("%s: %v is not within %s to %s", path, value, k.min, k.max)
	}
	return nil
}

// describeJSON says what was found in the place of what was expected.
func describeJSON(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return "the number " + string(v)
	case string:
		return "the text " + strconv.Quote(cut(v, 100))
	case []any:
		return "a list"
	}
	return "a table"
}
