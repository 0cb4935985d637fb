package main

import (
	"slices"
	"testing"

	"engine"
)

const configured = `{ "token": "t-1", "organization": "org-1" }`

func answering(status int, body string) *engine.Run {
	return engine.NewScript().On("GET", "/api/v1/agents").Reply(status, body).Run(plugin, configured)
}

func TestArrivalsReadTheListsInRotation(t *testing.T) {
	body := `{ "items": [], "total": 0 }`
	script := engine.NewScript().
		On("GET", "/api/v1/agents?limit=20").Reply(200, body).
		On("GET", "/api/v1/runs?limit=20").Reply(200, body).
		On("GET", "/api/v1/conversations?limit=20").Reply(200, body)
	var names []string
	for _, run := range script.RunMany(plugin, configured, 4) {
		if run.Outcome() != "ok" {
			t.Error(run.Outcome())
		}
		names = append(names, run.Requests()[0].Name)
	}
	if !slices.Equal(names, []string{"agents", "runs", "conversations", "agents"}) {
		t.Error(names)
	}
}

func TestEachRequestCarriesTokenAndOrganization(t *testing.T) {
	run := answering(200, `{ "items": [1, { "id": 2 }] }`)
	request := run.Requests()[0]
	if request.Field("authorization") != "Bearer t-1" || request.Field("x-organization-id") != "org-1" {
		t.Error(request.Fields)
	}
	if request.Fields[2].Name != "X-Organization-Id" {
		t.Error("field names leave as written", request.Fields)
	}
	if request.WantedFields == nil || len(request.WantedFields) != 0 {
		t.Error("no field of the answer is needed", request.WantedFields)
	}
	if run.Outcome() != "ok" {
		t.Error(run.Outcome())
	}
}

func TestAnUnexpectedStatusKeepsTheEnginesReason(t *testing.T) {
	for status, reason := range map[int]string{503: "http_503", 204: "http_204"} {
		if run := answering(status, "busy"); run.Outcome() != reason {
			t.Error(run.Outcome())
		}
	}
}

func TestAnAnswerWithoutItemsIsAFailureOfItsOwn(t *testing.T) {
	for _, body := range []string{"", "[]", "{}", `{ "items": 3 }`, `{ "items": null }`, `{ "items": [1`, "<html>"} {
		if run := answering(200, body); run.Outcome() != "check: no items" {
			t.Error(body, run.Outcome())
		}
	}
}

func TestAFailedExchangeKeepsItsReason(t *testing.T) {
	run := engine.NewScript().On("GET", "/api/v1/agents").Fail("timeout_total").Run(plugin, configured)
	if run.Outcome() != "timeout_total" {
		t.Error(run.Outcome())
	}
}

func TestTokenAndOrganizationMayComeFromLogin(t *testing.T) {
	script := engine.NewScript().Shared(`{ "access_token": "from-login", "organization": "org-2" }`).
		On("GET", "/api/v1/agents").Reply(200, `{ "items": [] }`)
	request := script.Run(plugin, `{ "organization": "org-1" }`).Requests()[0]
	if request.Field("authorization") != "Bearer from-login" || request.Field("x-organization-id") != "org-1" {
		t.Error("the configuration goes first", request.Fields)
	}
}

func TestAWrongConfigurationIsRefusedWithItsKey(t *testing.T) {
	for config, refusal := range map[string]string{
		`{ "organization": "o" }`:                           `config.token: missing; add [[setup]] plugin = "login", or give it here`,
		`{ "token": "", "organization": "o" }`:              "config.token: must not be empty",
		`{ "token": "a b", "organization": "o" }`:           "config.token: must be printable ASCII without spaces",
		`{ "token": "t", "organization": "o", "limit": 0 }`: "config.limit: 0 is not within 1 to 1000",
		`{ "token": "t", "limit": "many" }`:                 `config.limit: the text "many", expected a whole number from 0`,
		`{ "tokn": "t" }`:                                   "config.tokn: unknown field, expected one of `token`, `organization`, `limit`",
	} {
		if err := engine.NewScript().Configure(plugin, config); err == nil || err.Error() != refusal {
			t.Error(config, err)
		}
	}
}
