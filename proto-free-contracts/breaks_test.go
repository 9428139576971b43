package contracts_test

const (
	limitSchema    = "schema: {type: integer, minimum: 1, default: 200}"
	querySchema    = "        minLength: 3\n        pattern: '[\\p{L}\\p{Nd}]'\n"
	quoteRequired  = "required: [q]\n      x-optional: [category]\n      properties:\n"
	noCompany      = "oneOf: [{$ref: \"#/components/schemas/Company\"}, {type: \"null\"}"
	eTagReference  = "            ETag: {$ref: \"#/components/headers/ETag\"}\n"
	timeoutAnswer  = "        \"504\": {$ref: \"#/components/responses/SourceTimeout\"}\n"
	rankingContent = "application/json:\n              schema: {$ref: \"#/components/schemas/RankingResponse\"}"
	offerItems     = "        offers:\n          type: array\n          maxItems: 5\n          description: Ascending by price.\n          items: {$ref: \"#/components/schemas/Offer\"}\n"
	multipartBody  = "          multipart/form-data:\n            schema: {$ref: \"#/components/schemas/CompanyRequest\"}\n"
	quoteCategory  = "        category:\n          type: string\n          enum: [\"\", cpu, gpu, ram, storage, motherboard, psu, cooling, case]\n          description: Hint that narrows the results; empty means no hint.\n"
)

// breakingChanges are changes of the documents, each with the rule of oasdiff or overlooked
// that reports it.
var breakingChanges = []struct {
	change
	want string
}{
	// Addresses and operations.
	{change{"path removed", "hardware", "  /api/prices/{aggregator}/quotes:\n", "  /api/prices/{aggregator}/offers:\n"}, "api-path-removed-without-deprecation"},
	{change{"path parameter renamed", "hardware", "      name: aggregator\n", "      name: shop\n"}, "new-request-path-parameter"},
	{change{"operation removed", "hardware", "    post:\n      operationId: postQuotes", "    put:\n      operationId: postQuotes"}, "api-removed-without-deprecation"},
	{change{"operation renamed", "hardware", "operationId: getPrices", "operationId: lookUpPrices"}, "api-operation-id-removed"},
	{change{"another server", "hardware", "  - url: /\n", "  - url: /v2\n"}, "server-changed"},
	{change{"login for all", "hardware", "security: []\n", "security: [{key: []}]\n"}, "api-security-anonymous-access-removed"},
	{change{"login for one", "directory", "      operationId: getAudit\n", "      operationId: getAudit\n      security: [{session: []}]\n"}, "api-security-anonymous-access-removed"},
	{change{"cookie renamed", "directory", "      name: session\n      description: |\n        Set by", "      name: sid\n      description: |\n        Set by"}, "api-security-component-api-key-name-changed"},

	// Parameters.
	{change{"new required parameter", "hardware", "  /api/benchmark/{type}:\n    parameters:\n", "  /api/benchmark/{type}:\n    parameters:\n      - {name: region, in: query, required: true, schema: {type: string}}\n"}, "new-required-request-parameter"},
	{change{"parameter required", "hardware", "      name: limit\n      in: query\n", "      name: limit\n      in: query\n      required: true\n"}, "request-parameter-became-required"},
	{change{"parameter removed", "hardware", "      - $ref: \"#/components/parameters/Category\"\n", ""}, "request-parameter-removed"},
	{change{"parameter moved", "hardware", "      name: q\n      in: query", "      name: q\n      in: header"}, "request-parameter-removed"},
	{change{"parameter's type", "hardware", limitSchema, "schema: {type: boolean}"}, "request-parameter-type-changed"},
	{change{"parameter's enum", "hardware", "enum: [cpu, gpu, ssd, hdd, ram, usb]", "enum: [cpu, gpu, ssd, hdd, ram]"}, "request-parameter-enum-value-removed"},
	{change{"parameter's minimum", "hardware", limitSchema, "schema: {type: integer, minimum: 10, default: 200}"}, "request-parameter-min-increased"},
	{change{"parameter's maximum", "hardware", limitSchema, "schema: {type: integer, minimum: 1, maximum: 300, default: 200}"}, "request-parameter-max-set"},
	{change{"parameter's multiple", "hardware", limitSchema, "schema: {type: integer, minimum: 1, multipleOf: 10, default: 200}"}, "request-parameter-multiple-of-set"},
	{change{"parameter's default", "hardware", limitSchema, "schema: {type: integer, minimum: 1, default: 50}"}, "request-parameter-default-value-changed"},
	{change{"parameter longer", "hardware", querySchema, "        minLength: 5\n        pattern: '[\\p{L}\\p{Nd}]'\n"}, "request-parameter-min-length-increased"},
	{change{"parameter shorter", "hardware", querySchema, "        maxLength: 100\n" + querySchema}, "request-parameter-max-length-set"},
	{change{"parameter's pattern", "hardware", querySchema, "        minLength: 3\n        pattern: '^\\p{L}'\n"}, "request-parameter-pattern-changed"},
	{change{"parameter never empty", "hardware", "      in: query\n      allowEmptyValue: true\n", "      in: query\n"}, "empty-value-refused"},
	{change{"parameter's form", "hardware", "      name: limit\n      in: query\n", "      name: limit\n      in: query\n      style: spaceDelimited\n"}, "serialization-changed"},

	// Bodies of requests.
	{change{"media type refused", "directory", multipartBody, "          text/plain:\n            schema: {$ref: \"#/components/schemas/CompanyRequest\"}\n"}, "request-body-media-type-removed"},
	{change{"unknown fields refused", "directory", "      additionalProperties: {description: Other fields are ignored.}\n", "      additionalProperties: false\n"}, "object-closed"},
	{change{"new required field", "hardware", quoteRequired, "required: [q, region]\n      x-optional: [category]\n      properties:\n        region: {type: string}\n"}, "new-required-request-property"},
	{change{"field required", "hardware", quoteRequired, "required: [q, category]\n      properties:\n"}, "request-property-became-required"},
	{change{"one of two required", "directory", "      anyOf:\n        - required: [company_id]\n        - required: [slug]\n", "      required: [slug]\n"}, "request-property-became-required"},
	{change{"field removed", "hardware", quoteCategory, ""}, "request-property-removed"},
	{change{"field's type", "directory", "type: [string, integer]\n          minLength: 1", "type: string\n          minLength: 1"}, "request-property-type-changed"},
	{change{"field's enum", "hardware", "enum: [\"\", cpu, gpu, ram,", "enum: [cpu, gpu, ram,"}, "request-property-enum-value-removed"},
	{change{"field's default", "directory", "save: {type: boolean, default: true,", "save: {type: boolean, default: false,"}, "request-property-default-value-changed"},
	{change{"field shorter", "hardware", "        q:\n          type: string\n", "        q:\n          type: string\n          maxLength: 100\n"}, "request-property-max-length-set"},
	{change{"fewer items", "hardware", "          maxItems: 20\n", "          maxItems: 10\n"}, "request-property-max-items-decreased"},
	{change{"more items", "hardware", "          minItems: 1\n          maxItems: 20\n", "          minItems: 2\n          maxItems: 20\n"}, "request-property-min-items-increased"},

	// Answers.
	{change{"success removed", "hardware", "        \"200\":\n          description: The ranking.", "        \"203\":\n          description: The ranking."}, "response-success-status-removed"},
	{change{"failure removed", "hardware", timeoutAnswer, ""}, "response-non-success-status-removed"},
	{change{"media type changed", "hardware", rankingContent, "text/csv:\n              schema: {$ref: \"#/components/schemas/RankingResponse\"}"}, "response-media-type-removed"},
	{change{"header removed", "hardware", eTagReference, ""}, "required-response-header-removed"},
	{change{"optional header removed", "hardware", "        Retry-After: {$ref: \"#/components/headers/RefusedFor\"}\n", ""}, "optional-response-header-removed"},
	{change{"header optional", "hardware", "    ETag:\n      required: true\n", "    ETag:\n"}, "response-header-became-optional"},
	{change{"header's type", "hardware", "      schema: {type: integer, minimum: 1}\n      example: 8\n", "      schema: {type: string}\n      example: \"8\"\n"}, "response-header-type-changed"},
	{change{"answer's field removed", "hardware", "        samples: {type: integer, minimum: 0, description: User measurements behind the figure.}\n", ""}, "response-required-property-removed"},
	{change{"answer's field renamed", "directory", "        auth_url:\n", "        url:\n"}, "response-required-property-removed"},
	{change{"optional field removed", "hardware", "        shopRating:\n", "        shopStars:\n"}, "response-optional-property-removed"},
	{change{"answer's field optional", "hardware", "required: [store, storeLabel, price, url]", "required: [store, storeLabel, price]"}, "response-property-became-optional"},
	{change{"answer's field null", "hardware", "brand: {type: string,", "brand: {type: [string, \"null\"],"}, "response-property-became-nullable"},
	{change{"answer's field's type", "hardware", "rank: {type: integer, minimum: 1,", "rank: {type: string,"}, "response-property-type-changed"},
	{change{"integer to number", "hardware", "rank: {type: integer, minimum: 1,", "rank: {type: number, minimum: 1,"}, "response-property-type-generalized"},
	{change{"another alternative", "directory", noCompany, noCompany + ", {type: string}"}, "response-property-one-of-added"},
	{change{"list to one", "hardware", offerItems, "        offers: {$ref: \"#/components/schemas/Offer\"}\n"}, "response-property-type-changed"},
	{change{"items of a list", "hardware", "items: {$ref: \"#/components/schemas/Offer\"}", "items: {$ref: \"#/components/schemas/Alternative\"}"}, "response-required-property-removed"},
	{change{"value added", "hardware", "enum: [CPU, GPU, SSD, HDD, RAM, USB]", "enum: [CPU, GPU, SSD, HDD, RAM, USB, PSU]"}, "response-property-enum-value-added"},
	{change{"constant no more", "hardware", "          type: boolean\n          const: true\n", "          type: boolean\n"}, "response-property-const-removed"},
	{change{"longer list", "hardware", "maxItems: 500\n", "maxItems: 1000\n"}, "response-property-max-items-increased"},
	{change{"negative figure", "hardware", "benchmark: {type: number, minimum: 0,", "benchmark: {type: number,"}, "response-property-min-unset"},
	{change{"higher figure", "hardware", "          maximum: 5\n", "          maximum: 10\n"}, "response-property-max-increased"},
	{change{"empty text", "hardware", "        productName: {type: string, minLength: 1,", "        productName: {type: string,"}, "response-property-min-length-unset"},
	{change{"longer text", "hardware", "          minLength: 3\n          maxLength: 200\n", "          minLength: 3\n"}, "response-property-max-length-unset"},
	{change{"any text", "hardware", "          pattern: '^https?://'\n          description: The component", "          description: The component"}, "response-property-pattern-removed"},
	{change{"format no more", "directory", "url: {type: string, format: uri,", "url: {type: string,"}, "response-property-type-changed"},
	{change{"fields apart", "directory", "      dependentRequired:\n        company_id: [company_name]\n        company_name: [company_id]\n", ""}, "response-body-dependent-required-removed"},
}

// additions are changes that do not break clients.
var additions = []change{
	{"words", "hardware", "description: The ranking.", "description: The whole ranking."},
	{"path", "hardware", "components:\n  parameters:", "  /api/new:\n    get:\n      operationId: getNew\n      responses:\n        \"204\": {description: Done.}\n\ncomponents:\n  parameters:"},
	{"operation", "hardware", "    post:\n      operationId: postQuotes", "    put:\n      operationId: putQuotes\n      responses:\n        \"204\": {description: Done.}\n    post:\n      operationId: postQuotes"},
	{"optional parameter", "hardware", "  /api/benchmark/{type}:\n    parameters:\n", "  /api/benchmark/{type}:\n    parameters:\n      - {name: region, in: query, schema: {type: string}}\n"},
	{"parameter less strict", "hardware", querySchema, "        minLength: 2\n        pattern: '[\\p{L}\\p{Nd}]'\n"},
	{"optional field of a request", "hardware", quoteRequired, "required: [q]\n      x-optional: [category, region]\n      properties:\n        region: {type: string}\n"},
	{"more items of a request", "hardware", "          maxItems: 20\n", "          maxItems: 40\n"},
	{"field of an answer", "hardware", "        shopRating:\n", "        shopCity: {type: string}\n        shopRating:\n"},
	{"field of an answer required", "hardware", "required: [store, storeLabel, price]\n      x-optional: [priceWithDelivery, available,", "required: [store, storeLabel, price, available]\n      x-optional: [priceWithDelivery,"},
	{"header of an answer", "hardware", eTagReference, eTagReference + "            Age: {schema: {type: integer}}\n"},
	{"failure", "hardware", timeoutAnswer, timeoutAnswer + "        \"505\": {$ref: \"#/components/responses/SourceTimeout\"}\n"},
	{"code of a failure", "hardware", "        - internal\n", "        - internal\n        - source_slow\n"},
}
