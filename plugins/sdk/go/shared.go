package engine

import "errors"

// Shared is what setup flows have shared: the keys of one JSON object. Empty where there was no setup.
type Shared struct{ object map[string]any }

// Get gives the value of this key as encoding/json has it, numbers as json.Number; nil where there is none.
func (s Shared) Get(key string) any { return s.object[key] }

// Text gives the value of this key where it is a text; empty where not.
func (s Shared) Text(key string) string {
	text, _ := s.object[key].(string)
	return text
}

// Read reads everything into a struct, by the tags of [NoConfig] but with unknown keys let pass. The error names the key;
// it is a refusal for Configure.
func (s Shared) Read(into any) error { return decodeInto("shared", s.object, into, true) }

func parseShared(text *string) (Shared, error) {
	if text == nil {
		return Shared{map[string]any{}}, nil
	}
	value, err := parseJSON(*text)
	if err != nil {
		return Shared{}, errors.New("shared: " + err.Error())
	}
	object, ok := value.(map[string]any)
	if !ok {
		return Shared{}, errors.New("shared: no JSON object")
	}
	return Shared{object}, nil
}
