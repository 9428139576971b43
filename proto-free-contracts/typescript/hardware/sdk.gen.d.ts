import type { Client, Options as Options2, TDataShape } from './client/index.js';
import type { GetBenchmarkData, GetBenchmarkErrors, GetBenchmarkResponses, GetPopularData, GetPopularErrors, GetPopularResponses, GetPricesData, GetPricesErrors, GetPricesResponses, HeadBenchmarkData, HeadBenchmarkErrors, HeadBenchmarkResponses, HeadPopularData, HeadPopularErrors, HeadPopularResponses, HeadPricesData, HeadPricesErrors, HeadPricesResponses, PostQuotesData, PostQuotesErrors, PostQuotesResponses } from './types.gen.js';
export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: Record<string, unknown>;
};
/**
 * Ranking of one component family
 *
 * The first rows of the family's ranking, fastest first. When the source does not answer,
 * the answer is still 200: a local snapshot, marked by the source `local-fallback`.
 *
 */
export declare const getBenchmark: <ThrowOnError extends boolean = false>(options: Options<GetBenchmarkData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetBenchmarkResponses, GetBenchmarkErrors, ThrowOnError, "fields">;
/**
 * Headers of a ranking
 *
 * Answered like `GET`, without the body.
 */
export declare const headBenchmark: <ThrowOnError extends boolean = false>(options: Options<HeadBenchmarkData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadBenchmarkResponses, HeadBenchmarkErrors, ThrowOnError, "fields">;
/**
 * Cheapest offers for a product
 *
 * Finds the product that `q` names best and returns up to 5 of its offers, cheapest first.
 * Adverts, offers out of stock and repeated offers are left out. All prices are in PLN and
 * include VAT. When nothing matches, the answer is 200 with an empty `productName`, no
 * offers and a `note`.
 *
 */
export declare const getPrices: <ThrowOnError extends boolean = false>(options: Options<GetPricesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetPricesResponses, GetPricesErrors, ThrowOnError, "fields">;
/**
 * Headers of a price answer
 *
 * Answered like `GET`, without the body; a look-up may run all the same.
 */
export declare const headPrices: <ThrowOnError extends boolean = false>(options: Options<HeadPricesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadPricesResponses, HeadPricesErrors, ThrowOnError, "fields">;
/**
 * Products of a category that are bought most
 *
 * What the lists of the aggregator had when they were last read, once a day: the products that
 * are bought most first. Without a list, for instance shortly after the first start, there are
 * no rows.
 *
 */
export declare const getPopular: <ThrowOnError extends boolean = false>(options: Options<GetPopularData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetPopularResponses, GetPopularErrors, ThrowOnError, "fields">;
/**
 * Headers of a list of popular products
 *
 * Answered like `GET`, without the body.
 */
export declare const headPopular: <ThrowOnError extends boolean = false>(options: Options<HeadPopularData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadPopularResponses, HeadPopularErrors, ThrowOnError, "fields">;
/**
 * Prices of several products, as far as they are known
 *
 * Answers at once. Each item is `ready` with the answer that `GET` would give, `queued`
 * while it is looked up, or `failed`. Ask again, every second or two, until none is queued:
 * the look-ups go on for a minute after the last time they were asked for. Equal items are
 * one look-up; at most 20 of a client wait, and turns go round the clients. What failed at
 * the source is returned for a minute before it is looked up again; what was refused is
 * tried again with each request.
 *
 */
export declare const postQuotes: <ThrowOnError extends boolean = false>(options: Options<PostQuotesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<PostQuotesResponses, PostQuotesErrors, ThrowOnError, "fields">;
