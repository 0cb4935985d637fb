// Reads the authenticated lists of a platform: agents, runs and conversations in rotation. The same workload as
// `plugins/api_read`, in Go.
//
// Each arrival reads one list, chosen by its index so that every run reads the same ones; the answer is right when it is
// a 200 with a JSON object that has an array `items`. Each list is a series of its own in the report.
//
//	[[workload]]
//	plugin = "api_read_go"
//	config = { token = "${TOKEN}", organization = "org-1", limit = 20 }
//
// Without a configuration, token and organization are those of the setup plugin `login`; what the configuration says goes
// first.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"engine"
)

//go:embed plugin.toml
var manifest string

// lists are the names of the series and the last parts of the paths.
var lists = [...]string{"agents", "runs", "conversations"}

// config is whose lists to read, and how much of them.
type config struct {
	Token        *string `json:"token" doc:"The bearer token; that of login where absent."`
	Organization *string `json:"organization" doc:"The organization's id; that of login where absent."`
	Limit        uint32  `json:"limit" default:"20" min:"1" max:"1000" doc:"The most items of one answer, 1 to 1000."`
}

// apiRead is everything that need not be made anew for each request.
type apiRead struct {
	paths  [len(lists)]string
	fields []engine.Field
}

var plugin = engine.Plugin[config, *apiRead]{
	Manifest:  manifest,
	Configure: configure,
	Iterate:   (*apiRead).iterate,
}

func configure(c config, shared engine.Shared) (*apiRead, error) {
	token, err := given("token", c.Token, shared.Text("access_token"))
	if err != nil {
		return nil, err
	}
	organization, err := given("organization", c.Organization, shared.Text("organization"))
	if err != nil {
		return nil, err
	}
	a := &apiRead{fields: []engine.Field{
		{Name: "Accept", Value: "application/json"},
		{Name: "Authorization", Value: "Bearer " + token},
		{Name: "X-Organization-Id", Value: organization},
	}}
	for at, list := range lists {
		a.paths[at] = fmt.Sprintf("/api/v1/%s?limit=%d", list, c.Limit)
	}
	return a, nil
}

// given takes a value from the configuration or else from what login has shared.
func given(key string, configured *string, shared string) (string, error) {
	value := shared
	if configured != nil {
		value = *configured
		if value == "" {
			return "", fmt.Errorf("config.%s: must not be empty", key)
		}
	}
	if value == "" {
		return "", fmt.Errorf(`config.%s: missing; add [[setup]] plugin = "login", or give it here`, key)
	}
	for _, b := range []byte(value) {
		if b <= ' ' || b > '~' {
			return "", fmt.Errorf("config.%s: must be printable ASCII without spaces", key)
		}
	}
	return value, nil
}

func (a *apiRead) iterate(ctx *engine.Context) error {
	turn := ctx.Arrival().Index % uint64(len(lists))
	reply, err := ctx.Get(a.paths[turn]).Name(lists[turn]).WithFields(a.fields).WantedFields().ExpectStatus(200).Send()
	if err != nil {
		return err
	}
	// The items themselves are not looked at.
	var list struct {
		Items *[]json.RawMessage `json:"items"`
	}
	if reply.JSON(&list) != nil || list.Items == nil {
		return engine.Failed("no items")
	}
	return nil
}

func init() { engine.Export(plugin) }

func main() {}
