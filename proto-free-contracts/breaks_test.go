package contracts_test

const (
	limitSchema   = "schema: {type: integer, minimum: 1, default: 200}"
	quoteRequired = "required: [q]\n      x-optional: [category]\n      properties:\n"
	timeoutAnswer = "        \"504\": {$ref: \"#/components/responses/SourceTimeout\"}\n"
	offersType    = "        offers:\n          type: array\n          maxItems: 5\n"
)

// breakingChanges are changes of the documents, each with the rule of oasdiff, its severity in
// released/severity.txt, or overlooked that reports it. One of each kind is enough: oasdiff
// has tests of its rules.
var breakingChanges = []struct {
	change
	want string
}{
	// Addresses and operations.
	{change{"path removed", "hardware", "  /api/prices/{aggregator}/quotes:\n", "  /api/prices/{aggregator}/offers:\n"}, "api-path-removed-without-deprecation"},
	{change{"operation renamed", "hardware", "operationId: getPrices", "operationId: lookUpPrices"}, "api-operation-id-removed"},
	{change{"another server", "hardware", "  - url: /\n", "  - url: /v2\n"}, "server-changed"},
	{change{"login for one", "directory", "      operationId: getAudit\n", "      operationId: getAudit\n      security: [{session: []}]\n"}, "api-security-anonymous-access-removed"},

	// Parameters.
	{change{"new required parameter", "hardware", "  /api/benchmark/{type}:\n    parameters:\n", "  /api/benchmark/{type}:\n    parameters:\n      - {name: region, in: query, required: true, schema: {type: string}}\n"}, "new-required-request-parameter"},
	{change{"parameter's type", "hardware", limitSchema, "schema: {type: boolean}"}, "request-parameter-type-changed"},
	{change{"parameter's default", "hardware", limitSchema, "schema: {type: integer, minimum: 1, default: 50}"}, "request-parameter-default-value-changed"},
	{change{"parameter never empty", "hardware", "      in: query\n      allowEmptyValue: true\n", "      in: query\n"}, "empty-value-refused"},
	{change{"parameter's form", "hardware", "      name: limit\n      in: query\n", "      name: limit\n      in: query\n      style: spaceDelimited\n"}, "serialization-changed"},

	// Bodies of requests.
	{change{"unknown fields refused", "directory", "      additionalProperties: {description: Other fields are ignored.}\n", "      additionalProperties: false\n"}, "object-closed"},
	{change{"new required field", "hardware", quoteRequired, "required: [q, region]\n      x-optional: [category]\n      properties:\n        region: {type: string}\n"}, "new-required-request-property"},
	{change{"one of two required", "directory", "      anyOf:\n        - required: [company_id]\n        - required: [slug]\n", "      required: [slug]\n"}, "request-property-became-required"},
	{change{"field's default", "directory", "save: {type: boolean, default: true,", "save: {type: boolean, default: false,"}, "request-property-default-value-changed"},

	// Answers.
	{change{"failure removed", "hardware", timeoutAnswer, ""}, "response-non-success-status-removed"},
	{change{"optional header removed", "hardware", "        Retry-After: {$ref: \"#/components/headers/RefusedFor\"}\n", ""}, "optional-response-header-removed"},
	{change{"answer's field removed", "hardware", "        samples: {type: integer, minimum: 0, description: User measurements behind the figure.}\n", ""}, "response-required-property-removed"},
	{change{"optional field removed", "hardware", "        shopRating:\n", "        shopStars:\n"}, "response-optional-property-removed"},
	{change{"list to one", "hardware", offersType, "        offers:\n          type: object\n"}, "response-property-type-changed"},
	{change{"value added", "hardware", "enum: [CPU, GPU, SSD, HDD, RAM, USB]", "enum: [CPU, GPU, SSD, HDD, RAM, USB, PSU]"}, "response-property-enum-value-added"},
	{change{"fields apart", "directory", "      dependentRequired:\n        company_id: [company_name]\n        company_name: [company_id]\n", ""}, "response-body-dependent-required-removed"},
}

// additions are changes that do not break clients.
var additions = []change{
	{"optional parameter", "hardware", "  /api/benchmark/{type}:\n    parameters:\n", "  /api/benchmark/{type}:\n    parameters:\n      - {name: region, in: query, schema: {type: string}}\n"},
	{"optional field of a request", "hardware", quoteRequired, "required: [q]\n      x-optional: [category, region]\n      properties:\n        region: {type: string}\n"},
	{"field of an answer", "hardware", "        shopRating:\n", "        shopCity: {type: string}\n        shopRating:\n"},
	{"failure", "hardware", timeoutAnswer, timeoutAnswer + "        \"505\": {$ref: \"#/components/responses/SourceTimeout\"}\n"},
	{"code of a failure", "hardware", "        - internal\n", "        - internal\n        - source_slow\n"},
}
