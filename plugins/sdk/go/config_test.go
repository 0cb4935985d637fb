//go:build !wasip1

package engine

import (
	"encoding/json"
	"testing"
)

type testConfig struct {
	Name  string            `json:"name" doc:"Who."`
	Limit uint32            `json:"limit" default:"20" min:"1" max:"1000"`
	Rate  float64           `json:"rate" default:"0.5" max:"1"`
	Deep  int8              `json:"deep" default:"-1" min:"-2"`
	Token *string           `json:"token"`
	Paths []string          `json:"paths" default:"[]"`
	More  map[string]string `json:"more" default:"{}"`
	Own   struct {
		On bool `json:"on"`
	} `json:"own" default:"{\"on\":true}"`
	Any  any `json:"any" default:"null"`
	Skip int `json:"-"`
}

func TestAConfigurationIsReadWithItsDefaults(t *testing.T) {
	c, err := parseConfig[testConfig](`{"name":"a","token":"t","paths":["x"],"more":{"k":"v"},"any":[1]}`)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, *c.Token, "t")
	c.Token = nil
	expected := testConfig{Name: "a", Limit: 20, Rate: 0.5, Deep: -1, Paths: []string{"x"},
		More: map[string]string{"k": "v"}, Any: []any{json.Number("1")}}
	expected.Own.On = true
	equal(t, c, expected)
	c, err = parseConfig[testConfig](`{"name":"a","token":null,"limit":1000,"own":{"on":false}}`)
	equal(t, []any{err, c.Token == nil, c.Limit, c.Own.On}, []any{nil, true, uint32(1000), false})
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	for text, refusal := range map[string]string{
		`[]`:                              "config: a list, expected a table",
		`{`:                               "config: unexpected EOF",
		`{}`:                              "config: missing field `name`",
		`{"name":1}`:                      "config.name: the number 1, expected a text",
		`{"name":"a","limit":1001}`:       "config.limit: 1001 is not within 1 to 1000",
		`{"name":"a","limit":-1}`:         "config.limit: the number -1, expected a whole number from 0",
		`{"name":"a","limit":1.5}`:        "config.limit: the number 1.5, expected a whole number from 0",
		`{"name":"a","rate":2}`:           "config.rate: 2 is above 1",
		`{"name":"a","deep":-3}`:          "config.deep: -3 is below -2",
		`{"name":"a","deep":200}`:         "config.deep: the number 200, expected a whole number",
		`{"name":"a","paths":["x",null]}`: "config.paths[1]: null, expected a text",
		`{"name":"a","more":{"k":true}}`:  "config.more.k: true, expected a text",
		`{"name":"a","own":{"of":true}}`:  "config.own: missing field `on`",
		`{"name":"a","own":{"on":"yes"}}`: `config.own.on: the text "yes", expected true or false`,
		`{"name":"a","zz":1,"nam":2}`:     "config.nam: unknown field, expected one of `name`, `limit`, `rate`, `deep`, `token`, `paths`, `more`, `own`, `any`",
	} {
		if _, err := parseConfig[testConfig](text); err == nil || err.Error() != refusal {
			t.Errorf("%s: %v", text, err)
		}
	}
	_, err := parseConfig[NoConfig](`{"a":1}`)
	equal(t, err.Error(), "config.a: unknown field, there are none")
}

func TestTheSchemaKnowsTheKeys(t *testing.T) {
	plugin := Plugin[testConfig, int]{Manifest: testManifest}
	schema := ConfigSchema(plugin)
	equal(t, schema["required"], []any{"name"})
	equal(t, schema["additionalProperties"], false)
	properties := schema["properties"].(map[string]any)
	equal(t, properties["name"], map[string]any{"type": "string", "description": "Who."})
	equal(t, properties["limit"], map[string]any{"type": "integer", "minimum": 1.0, "maximum": 1000.0, "default": 20.0})
	equal(t, properties["token"], map[string]any{"type": []any{"string", "null"}})
	equal(t, len(properties), 9)
}
