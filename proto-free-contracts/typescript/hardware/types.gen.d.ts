export type ClientOptions = {
    baseUrl: `${string}://${string}` | (string & {});
};
/**
 * Component family.
 */
export type Family = 'cpu' | 'gpu' | 'ssd' | 'hdd' | 'ram' | 'usb';
/**
 * Group of products in a PC build.
 */
export type Category = 'cpu' | 'gpu' | 'ram' | 'storage' | 'motherboard' | 'psu' | 'cooling' | 'case';
export type RankingResponse = {
    /**
     * Domain of the benchmark site, or `local-fallback` when it did not answer and the rows
     * come from a local snapshot.
     *
     */
    source: string;
    family: Family;
    /**
     * Number of rows.
     */
    count: number;
    /**
     * Ordered by rank.
     */
    rows: Array<RankingRow>;
};
/**
 * One line of the ranking. Several rows may share a rank: variants of one model, with one
 * benchmark figure.
 *
 */
export type RankingRow = {
    /**
     * Component family in upper case.
     */
    type: 'CPU' | 'GPU' | 'SSD' | 'HDD' | 'RAM' | 'USB';
    /**
     * The maker's part number; empty when not known.
     */
    partNumber: string;
    /**
     * Maker; empty when not known.
     */
    brand: string;
    /**
     * Model name; empty when not known.
     */
    model: string;
    /**
     * Place in the ranking; 1 is the fastest.
     */
    rank: number;
    /**
     * Percent of the source's reference part.
     */
    benchmark: number;
    /**
     * User measurements behind the figure.
     */
    samples: number;
    /**
     * The component's page at the source.
     */
    url: string;
};
/**
 * Either a match (`productName` is set), or nothing matched (`note` is set). Prices are in
 * PLN and include VAT.
 *
 */
export type PriceResponse = unknown & {
    /**
     * The query with its white space trimmed and collapsed, without invisible characters.
     */
    query: string;
    /**
     * Domain of the aggregator.
     */
    source: string;
    /**
     * The aggregator's name of the product; empty when nothing matched.
     */
    productName: string;
    /**
     * The product's page at the aggregator, or the search when nothing matched.
     */
    productUrl: string;
    /**
     * Offers that the aggregator counts, also those that `offers` leaves out.
     */
    offerCount: number;
    /**
     * Lowest price over all offers of new goods, in PLN; absent when the aggregator does not say.
     * Used goods, sets and accessories do not count, as far as their titles are known.
     *
     */
    priceLow?: number;
    /**
     * Highest price over all offers, in PLN; absent when the aggregator does not say.
     */
    priceHigh?: number;
    lowest?: LowestOffer;
    /**
     * Ascending by price, one for each shop. Used, returned and refurbished goods, sets and
     * accessories are left out.
     *
     */
    offers: Array<Offer>;
    /**
     * Present when the aggregator may have cheaper offers than it showed.
     */
    partial?: true;
    /**
     * Other products that the search for `q` found. If `q` means several, these alone, for a graphics chip by price; otherwise in the aggregator's order. Absent when there are none.
     */
    alternatives?: Array<Alternative>;
    /**
     * When the source was read, ISO 8601 in UTC with milliseconds.
     */
    scrapedAt: string;
    /**
     * Polish explanation, only when nothing matched, or disks or memory that match differ in technology or form factor.
     */
    note?: string;
};
export type Offer = {
    store: Store;
    storeLabel: StoreLabel;
    /**
     * The shop's own text for what it sells; absent when the aggregator does not show it.
     */
    title?: string;
    price: Price;
    /**
     * Price with the cheapest delivery, in PLN; absent when the aggregator does not say.
     */
    priceWithDelivery?: number;
    /**
     * Whether the shop has it in stock; false when it has to order it first. Absent when the
     * aggregator does not say.
     *
     */
    available?: boolean;
    /**
     * What buyers give the shop, out of 5; absent when the aggregator does not say.
     */
    shopRating?: number;
    /**
     * Leads to the offer at the shop; the service never requests it.
     */
    url?: string;
};
/**
 * The first of the offers; present when there is one.
 */
export type LowestOffer = {
    store: Store;
    storeLabel: StoreLabel;
    price: Price;
    /**
     * The offer's url, or the product's page when the offer has none.
     */
    url: string;
};
export type Alternative = {
    /**
     * The aggregator's name of the product.
     */
    productName: string;
    /**
     * The product's page at the aggregator.
     */
    productUrl: string;
    /**
     * Lowest price, in PLN; absent when the search does not say.
     */
    priceLow?: number;
    /**
     * Offers at the aggregator; absent when the search does not say.
     */
    offerCount?: number;
};
export type QuotesRequest = {
    items: Array<QuotesItem>;
};
/**
 * What `GET` takes as parameters.
 */
export type QuotesItem = {
    /**
     * Product name, under the rules of the parameter `q`.
     */
    q: string;
    /**
     * Hint that narrows the results; empty means no hint.
     */
    category?: '' | 'cpu' | 'gpu' | 'ram' | 'storage' | 'motherboard' | 'psu' | 'cooling' | 'case';
};
export type PopularResponse = {
    category: Category;
    /**
     * Number of rows.
     */
    count: number;
    rows: Array<PopularProduct>;
};
export type PopularProduct = {
    productName: string;
    /**
     * The product's page at the aggregator.
     */
    productUrl: string;
    /**
     * The lowest price in PLN.
     */
    priceLow?: number;
    /**
     * Number of shops.
     */
    offerCount?: number;
    /**
     * Whether it goes with the parts in `with`; absent if there is nothing to compare.
     */
    fits?: 'compatible' | 'incompatible' | 'unknown';
};
export type QuotesResponse = {
    items: Array<Quote>;
};
export type Quote = unknown & {
    /**
     * The item's `q` with its white space trimmed and collapsed.
     */
    query: string;
    category?: Category;
    /**
     * How far the item has come.
     */
    status: 'ready' | 'queued' | 'failed';
    price?: PriceResponse;
    /**
     * Place in line, 1 is next; absent while the aggregator is being asked.
     */
    place?: number;
    /**
     * Until its turn, as far as is known; stands beside `place`.
     */
    seconds?: number;
    found?: Alternative;
    /**
     * Whether the part goes with the others in the list, as far as their names reveal it: by
     * socket and type of memory, the sockets of a cooler, the size of a case, the output of a
     * power supply, the slot of an M.2 drive. Absent if there is nothing to compare. A board may
     * need a newer BIOS.
     *
     */
    fits?: 'compatible' | 'incompatible' | 'unknown';
    /**
     * Polish message for people; its wording may change.
     */
    error?: string;
    code?: ErrorCode;
    /**
     * Seconds after which asking again may help.
     */
    retryAfter?: number;
};
/**
 * The shop's domain, or a slug of its name.
 */
export type Store = string;
/**
 * The shop's name.
 */
export type StoreLabel = string;
/**
 * Amount in PLN, VAT included.
 */
export type Price = number;
export type Error = {
    /**
     * Polish message for people; its wording may change.
     */
    error: string;
    code: ErrorCode;
    /**
     * The allowed values, with codes about a closed list.
     */
    allowed?: Array<string>;
};
/**
 * Stable code for programs.
 */
export type ErrorCode = 'unknown_type' | 'invalid_limit' | 'invalid_query_string' | 'query_too_short' | 'invalid_query' | 'invalid_body' | 'invalid_items' | 'invalid_with' | 'body_too_large' | 'unknown_category' | 'unknown_aggregator' | 'not_found' | 'method_not_allowed' | 'source_unavailable' | 'source_blocked' | 'source_disallowed' | 'source_changed' | 'throttle_queue_full' | 'source_paused' | 'source_timeout' | 'internal' | 'invalid_path' | 'too_many_requests' | 'service_unavailable';
/**
 * Component family, in lower case.
 */
export type Type = Family;
/**
 * Number of rows wanted. A value above 500 is cut to 500; a value below 1, or one that is
 * not an integer, is refused.
 *
 */
export type Limit = number;
/**
 * Name of the price aggregator that the service is set up with, `ceneo` by default.
 */
export type Aggregator = string;
/**
 * Product name, order code or bar code. Counted after outer white space is cut off and inner white space is
 * collapsed, it has at least 3 characters, and no control character. What cannot name a
 * product, because it has no letter or digit or more than 200 characters, gets the answer
 * that nothing matched. Letter case does not matter, nor do zero-width and other invisible
 * characters that come along when a name is copied; those that hide or turn round text are refused.
 *
 */
export type Query = string;
/**
 * Hint that narrows the results; an empty value means no hint. Without one the words of `q`
 * tell the category, and where they do not, all of the aggregator's computer department is
 * searched.
 *
 */
export type CategoryFilter = Category;
/**
 * `ETag` of an earlier answer; while it is current the answer is 304 (RFC 9110, section 13.1.2).
 */
export type IfNoneMatch = string;
/**
 * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
 * `.`; otherwise the service makes one.
 *
 */
export type RequestId = string;
export type GetBenchmarkData = {
    body?: never;
    headers?: {
        /**
         * `ETag` of an earlier answer; while it is current the answer is 304 (RFC 9110, section 13.1.2).
         */
        'If-None-Match'?: string;
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path: {
        /**
         * Component family, in lower case.
         */
        type: Family;
    };
    query?: {
        /**
         * Number of rows wanted. A value above 500 is cut to 500; a value below 1, or one that is
         * not an integer, is refused.
         *
         */
        limit?: number;
    };
    url: '/api/benchmark/{type}';
};
export type GetBenchmarkErrors = {
    /**
     * The family is outside the list, or a parameter is invalid.
     */
    400: Error & {
        code?: 'unknown_type' | 'invalid_limit' | 'invalid_query_string';
    };
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error & {
        code?: 'internal';
    };
};
export type GetBenchmarkError = GetBenchmarkErrors[keyof GetBenchmarkErrors];
export type GetBenchmarkResponses = {
    /**
     * The ranking.
     */
    200: RankingResponse;
};
export type GetBenchmarkResponse = GetBenchmarkResponses[keyof GetBenchmarkResponses];
export type HeadBenchmarkData = {
    body?: never;
    headers?: {
        /**
         * `ETag` of an earlier answer; while it is current the answer is 304 (RFC 9110, section 13.1.2).
         */
        'If-None-Match'?: string;
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path: {
        /**
         * Component family, in lower case.
         */
        type: Family;
    };
    query?: {
        /**
         * Number of rows wanted. A value above 500 is cut to 500; a value below 1, or one that is
         * not an integer, is refused.
         *
         */
        limit?: number;
    };
    url: '/api/benchmark/{type}';
};
export type HeadBenchmarkErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadBenchmarkResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type GetPricesData = {
    body?: never;
    headers?: {
        /**
         * `ETag` of an earlier answer; while it is current the answer is 304 (RFC 9110, section 13.1.2).
         */
        'If-None-Match'?: string;
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path: {
        /**
         * Name of the price aggregator that the service is set up with, `ceneo` by default.
         */
        aggregator: string;
    };
    query: {
        /**
         * Product name, order code or bar code. Counted after outer white space is cut off and inner white space is
         * collapsed, it has at least 3 characters, and no control character. What cannot name a
         * product, because it has no letter or digit or more than 200 characters, gets the answer
         * that nothing matched. Letter case does not matter, nor do zero-width and other invisible
         * characters that come along when a name is copied; those that hide or turn round text are refused.
         *
         */
        q: string;
        /**
         * Hint that narrows the results; an empty value means no hint. Without one the words of `q`
         * tell the category, and where they do not, all of the aggregator's computer department is
         * searched.
         *
         */
        category?: Category;
    };
    url: '/api/prices/{aggregator}';
};
export type GetPricesErrors = {
    /**
     * The query or the category cannot be used.
     */
    400: Error & {
        code?: 'query_too_short' | 'invalid_query' | 'unknown_category' | 'invalid_query_string';
    };
    /**
     * The service has no aggregator of that name.
     */
    404: Error & {
        code?: 'unknown_aggregator';
    };
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error & {
        code?: 'internal';
    };
    /**
     * The aggregator answered badly, or refuses to answer.
     */
    502: Error & {
        code?: 'source_unavailable' | 'source_blocked' | 'source_disallowed' | 'source_changed';
    };
    /**
     * The aggregator is not asked now; ask again later.
     */
    503: Error & {
        code?: 'throttle_queue_full' | 'source_paused';
    };
    /**
     * The aggregator did not answer in time.
     */
    504: Error & {
        code?: 'source_timeout';
    };
};
export type GetPricesError = GetPricesErrors[keyof GetPricesErrors];
export type GetPricesResponses = {
    /**
     * The product and its offers, or the note that nothing matched.
     */
    200: PriceResponse;
};
export type GetPricesResponse = GetPricesResponses[keyof GetPricesResponses];
export type HeadPricesData = {
    body?: never;
    headers?: {
        /**
         * `ETag` of an earlier answer; while it is current the answer is 304 (RFC 9110, section 13.1.2).
         */
        'If-None-Match'?: string;
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path: {
        /**
         * Name of the price aggregator that the service is set up with, `ceneo` by default.
         */
        aggregator: string;
    };
    query: {
        /**
         * Product name, order code or bar code. Counted after outer white space is cut off and inner white space is
         * collapsed, it has at least 3 characters, and no control character. What cannot name a
         * product, because it has no letter or digit or more than 200 characters, gets the answer
         * that nothing matched. Letter case does not matter, nor do zero-width and other invisible
         * characters that come along when a name is copied; those that hide or turn round text are refused.
         *
         */
        q: string;
        /**
         * Hint that narrows the results; an empty value means no hint. Without one the words of `q`
         * tell the category, and where they do not, all of the aggregator's computer department is
         * searched.
         *
         */
        category?: Category;
    };
    url: '/api/prices/{aggregator}';
};
export type HeadPricesErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadPricesResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type GetPopularData = {
    body?: never;
    headers?: {
        /**
         * `ETag` of an earlier answer; while it is current the answer is 304 (RFC 9110, section 13.1.2).
         */
        'If-None-Match'?: string;
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path: {
        /**
         * Name of the price aggregator that the service is set up with, `ceneo` by default.
         */
        aggregator: string;
    };
    query: {
        /**
         * Group of products.
         */
        category: Category;
        /**
         * A part of a build, at most 20 times; its category and a colon may stand in front. Each
         * product then says whether it fits.
         *
         */
        with?: Array<string>;
    };
    url: '/api/prices/{aggregator}/popular';
};
export type GetPopularErrors = {
    /**
     * The category or a part of the build cannot be used.
     */
    400: Error & {
        code?: 'unknown_category' | 'query_too_short' | 'invalid_query' | 'invalid_with' | 'invalid_query_string';
    };
    /**
     * The service has no aggregator of that name.
     */
    404: Error & {
        code?: 'unknown_aggregator';
    };
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error & {
        code?: 'internal';
    };
};
export type GetPopularError = GetPopularErrors[keyof GetPopularErrors];
export type GetPopularResponses = {
    /**
     * The listed products.
     */
    200: PopularResponse;
};
export type GetPopularResponse = GetPopularResponses[keyof GetPopularResponses];
export type HeadPopularData = {
    body?: never;
    headers?: {
        /**
         * `ETag` of an earlier answer; while it is current the answer is 304 (RFC 9110, section 13.1.2).
         */
        'If-None-Match'?: string;
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path: {
        /**
         * Name of the price aggregator that the service is set up with, `ceneo` by default.
         */
        aggregator: string;
    };
    query: {
        /**
         * Group of products.
         */
        category: Category;
        /**
         * A part of a build, at most 20 times; its category and a colon may stand in front. Each
         * product then says whether it fits.
         *
         */
        with?: Array<string>;
    };
    url: '/api/prices/{aggregator}/popular';
};
export type HeadPopularErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadPopularResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type PostQuotesData = {
    body: QuotesRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path: {
        /**
         * Name of the price aggregator that the service is set up with, `ceneo` by default.
         */
        aggregator: string;
    };
    query?: never;
    url: '/api/prices/{aggregator}/quotes';
};
export type PostQuotesErrors = {
    /**
     * The body is not as documented, or an item cannot be used; the message tells which.
     */
    400: Error & {
        code?: 'invalid_body' | 'invalid_items' | 'query_too_short' | 'invalid_query' | 'unknown_category';
    };
    /**
     * The service has no aggregator of that name.
     */
    404: Error & {
        code?: 'unknown_aggregator';
    };
    /**
     * The body is larger than 64 KiB.
     */
    413: Error & {
        code?: 'body_too_large';
    };
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error & {
        code?: 'internal';
    };
};
export type PostQuotesError = PostQuotesErrors[keyof PostQuotesErrors];
export type PostQuotesResponses = {
    /**
     * What is known now, in the order of the items asked for.
     */
    200: QuotesResponse;
};
export type PostQuotesResponse = PostQuotesResponses[keyof PostQuotesResponses];
