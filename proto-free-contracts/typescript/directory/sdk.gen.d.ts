import { type Client, type Options as Options2, type TDataShape } from './client/index.js';
import type { AddCompanyData, AddCompanyErrors, AddCompanyResponses, CallbackData, CallbackErrors, ChangePasswordData, ChangePasswordErrors, ChangePasswordResponses, ChangeProfileData, ChangeProfileErrors, ChangeProfileResponses, ConfirmEmailData, ConfirmEmailErrors, ConfirmEmailResponses, ConfirmResetData, ConfirmResetErrors, ConfirmResetResponses, ConnectData, ConnectErrors, ConnectResponses, DeauthorizeData, DeauthorizeErrors, DeauthorizeResponses, DeleteDataData, DeleteDataErrors, DeleteDataResponses, DeleteUserData, DeleteUserErrors, DeleteUserResponses, DisconnectData, DisconnectErrors, DisconnectResponses, DiscoverLocationsData, DiscoverLocationsErrors, DiscoverLocationsResponses, DiscoverPagesData, DiscoverPagesErrors, DiscoverPagesResponses, DiscoverPropertiesData, DiscoverPropertiesErrors, DiscoverPropertiesResponses, EditCompanyData, EditCompanyErrors, EditCompanyResponses, EditUserData, EditUserErrors, EditUserResponses, EndSessionsData, EndSessionsErrors, EndSessionsResponses, EndUserSessionsData, EndUserSessionsErrors, EndUserSessionsResponses, GetAuditBySlugData, GetAuditBySlugErrors, GetAuditBySlugResponses, GetAuditData, GetAuditErrors, GetAuditHealthData, GetAuditHealthErrors, GetAuditHealthResponses, GetAuditHistoryData, GetAuditHistoryErrors, GetAuditHistoryResponses, GetAuditResponses, GetCompanyData, GetCompanyErrors, GetCompanyResponses, GetMeData, GetMeErrors, GetMeResponses, GetStatusData, GetStatusErrors, GetStatusResponses, GetUserData, GetUserErrors, GetUserResponses, HeadAuditBySlugData, HeadAuditBySlugErrors, HeadAuditBySlugResponses, HeadAuditData, HeadAuditErrors, HeadAuditHealthData, HeadAuditHealthErrors, HeadAuditHealthResponses, HeadAuditHistoryData, HeadAuditHistoryErrors, HeadAuditHistoryResponses, HeadAuditResponses, HeadCallbackData, HeadColleaguesData, HeadColleaguesErrors, HeadColleaguesResponses, HeadCompaniesData, HeadCompaniesErrors, HeadCompaniesResponses, HeadCompanyData, HeadCompanyErrors, HeadCompanyResponses, HeadMeData, HeadMeErrors, HeadMeResponses, HeadSessionsData, HeadSessionsErrors, HeadSessionsResponses, HeadStatusData, HeadStatusErrors, HeadStatusResponses, HeadUserData, HeadUserErrors, HeadUserResponses, HeadUsersData, HeadUsersErrors, HeadUserSessionsData, HeadUserSessionsErrors, HeadUserSessionsResponses, HeadUsersResponses, InviteColleagueData, InviteColleagueErrors, InviteColleagueResponses, InviteUserData, InviteUserErrors, InviteUserResponses, ListColleaguesData, ListColleaguesErrors, ListColleaguesResponses, ListCompaniesData, ListCompaniesErrors, ListCompaniesResponses, ListSessionsData, ListSessionsErrors, ListSessionsResponses, ListUsersData, ListUsersErrors, ListUserSessionsData, ListUserSessionsErrors, ListUserSessionsResponses, ListUsersResponses, LoginData, LoginErrors, LoginResponses, LogoutData, LogoutErrors, LogoutResponses, MakeResetLinkData, MakeResetLinkErrors, MakeResetLinkResponses, RemoveColleagueData, RemoveColleagueErrors, RemoveColleagueResponses, RequestEmailData, RequestEmailErrors, RequestEmailResponses, RequestResetData, RequestResetErrors, RequestResetResponses, RunAuditData, RunAuditErrors, RunAuditResponses, SelectLocationData, SelectLocationErrors, SelectLocationResponses, SelectPageData, SelectPageErrors, SelectPageResponses, SelectPropertyData, SelectPropertyErrors, SelectPropertyResponses, SyncAnalyticsData, SyncAnalyticsErrors, SyncAnalyticsResponses, SyncPageData, SyncPageErrors, SyncPageResponses, SyncPerformanceData, SyncPerformanceErrors, SyncPerformanceResponses, SyncPhotosData, SyncPhotosErrors, SyncPhotosResponses } from './types.gen.js';
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
 * Log in
 *
 * Begins a session under a new id and ends the one that the browser had. An unknown address
 * and a wrong password are answered alike. In any 15 minutes, at most 10 failures for one account
 * from one network address, of which a login from there clears the count, and 60 attempts from
 * one network address; an IPv6 address counts with all of its /64. After 100 failures for one
 * account from anywhere, only network addresses from which it has been logged in before, or
 * whose password was set by a link, may try it.
 *
 */
export declare const login: <ThrowOnError extends boolean = false>(options: Options<LoginData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<LoginResponses, LoginErrors, ThrowOnError, "fields">;
/**
 * Log out
 *
 * Ends the session, if there is one, and removes its cookie. No body.
 */
export declare const logout: <ThrowOnError extends boolean = false>(options?: Options<LogoutData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<LogoutResponses, LogoutErrors, ThrowOnError, "fields">;
/**
 * Who is logged in
 *
 * The user of the session, the user's company, and what the user may do.
 */
export declare const getMe: <ThrowOnError extends boolean = false>(options?: Options<GetMeData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetMeResponses, GetMeErrors, ThrowOnError, "fields">;
/**
 * Whether somebody is logged in
 *
 * Answered like `GET`, without the body.
 */
export declare const headMe: <ThrowOnError extends boolean = false>(options?: Options<HeadMeData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadMeResponses, HeadMeErrors, ThrowOnError, "fields">;
/**
 * Change the password
 *
 * Needs the old password; ten wrong ones in 15 minutes are answered with 429. All sessions of the
 * user end, and the browser gets a new one.
 *
 */
export declare const changePassword: <ThrowOnError extends boolean = false>(options: Options<ChangePasswordData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ChangePasswordResponses, ChangePasswordErrors, ThrowOnError, "fields">;
/**
 * Ask for a link to set a password
 *
 * If there is an account with that address, it is sent a link that can be used once within an
 * hour; the answer is the same if there is none. Of the requests for one account, three an hour
 * are sent. One client may send 20 an hour.
 *
 */
export declare const requestReset: <ThrowOnError extends boolean = false>(options: Options<RequestResetData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<RequestResetResponses, RequestResetErrors, ThrowOnError, "fields">;
/**
 * Set a password by a link
 *
 * `token` is that of the link, `/konto/nowe-haslo?token=…`. The link is used up, and all sessions
 * and other links of the user end. Works whatever has been counted against the account's logins,
 * and the client may log in afterwards. The link of an invitation also logs the person in. A
 * password that is refused does not use the link up.
 *
 */
export declare const confirmReset: <ThrowOnError extends boolean = false>(options: Options<ConfirmResetData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ConfirmResetResponses, ConfirmResetErrors, ThrowOnError, "fields">;
/**
 * Sessions of the user
 *
 * The browsers where the user is logged in, the last used first.
 *
 */
export declare const listSessions: <ThrowOnError extends boolean = false>(options?: Options<ListSessionsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ListSessionsResponses, ListSessionsErrors, ThrowOnError, "fields">;
/**
 * Whether the sessions can be listed
 *
 * Answered like `GET`, without the body.
 */
export declare const headSessions: <ThrowOnError extends boolean = false>(options?: Options<HeadSessionsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadSessionsResponses, HeadSessionsErrors, ThrowOnError, "fields">;
/**
 * End sessions
 *
 * Ends the session with that id, or all but that of the request.
 *
 */
export declare const endSessions: <ThrowOnError extends boolean = false>(options: Options<EndSessionsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<EndSessionsResponses, EndSessionsErrors, ThrowOnError, "fields">;
/**
 * Change the own name
 *
 * Changes the name of the user.
 *
 */
export declare const changeProfile: <ThrowOnError extends boolean = false>(options: Options<ChangeProfileData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ChangeProfileResponses, ChangeProfileErrors, ThrowOnError, "fields">;
/**
 * Ask for another e-mail address
 *
 * Sends a link to the new address. The address changes when the link is opened, once within an
 * hour. Needs the password; ten wrong ones in 15 minutes are answered with 429, like the fourth
 * request for one address in an hour.
 *
 */
export declare const requestEmail: <ThrowOnError extends boolean = false>(options: Options<RequestEmailData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<RequestEmailResponses, RequestEmailErrors, ThrowOnError, "fields">;
/**
 * Confirm an e-mail address by a link
 *
 * `token` is that of the link, `/konto/nowy-adres?token=…`, which is used up.
 *
 */
export declare const confirmEmail: <ThrowOnError extends boolean = false>(options: Options<ConfirmEmailData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ConfirmEmailResponses, ConfirmEmailErrors, ThrowOnError, "fields">;
/**
 * List the people of the own company
 *
 * In the order in which they were added. Needs `OFFICE_MANAGER` or above.
 *
 */
export declare const listColleagues: <ThrowOnError extends boolean = false>(options?: Options<ListColleaguesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ListColleaguesResponses, ListColleaguesErrors, ThrowOnError, "fields">;
/**
 * Whether the people can be listed
 *
 * Answered like `GET`, without the body.
 */
export declare const headColleagues: <ThrowOnError extends boolean = false>(options?: Options<HeadColleaguesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadColleaguesResponses, HeadColleaguesErrors, ThrowOnError, "fields">;
/**
 * Invite a person to the own company
 *
 * Needs `OFFICE_MANAGER` or above, and a role below the own. The person chooses a password by a
 * link that can be used once within 7 days. It is sent by e-mail if the service has a mail
 * server; otherwise `link` has it, to be passed on.
 *
 */
export declare const inviteColleague: <ThrowOnError extends boolean = false>(options: Options<InviteColleagueData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<InviteColleagueResponses, InviteColleagueErrors, ThrowOnError, "fields">;
/**
 * Take a person out of the own company
 *
 * Needs `OFFICE_MANAGER` or above; the person's role has to be below the own. The account stays,
 * without a company and without rights. No body.
 *
 */
export declare const removeColleague: <ThrowOnError extends boolean = false>(options: Options<RemoveColleagueData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<RemoveColleagueResponses, RemoveColleagueErrors, ThrowOnError, "fields">;
/**
 * List companies
 *
 * By name, 25 at a time; `search` is the beginning of a name, or a slug. Polish letters and case do not matter.
 *
 */
export declare const listCompanies: <ThrowOnError extends boolean = false>(options?: Options<ListCompaniesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ListCompaniesResponses, ListCompaniesErrors, ThrowOnError, "fields">;
/**
 * Whether companies can be listed
 *
 * Answered like `GET`, without the body.
 */
export declare const headCompanies: <ThrowOnError extends boolean = false>(options?: Options<HeadCompaniesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadCompaniesResponses, HeadCompaniesErrors, ThrowOnError, "fields">;
/**
 * Add a company
 *
 * Needs a name and a slug; all other fields may be left out.
 *
 */
export declare const addCompany: <ThrowOnError extends boolean = false>(options: Options<AddCompanyData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<AddCompanyResponses, AddCompanyErrors, ThrowOnError, "fields">;
/**
 * A company
 *
 * All that the company says about itself.
 *
 */
export declare const getCompany: <ThrowOnError extends boolean = false>(options: Options<GetCompanyData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetCompanyResponses, GetCompanyErrors, ThrowOnError, "fields">;
/**
 * Whether a company exists
 *
 * Answered like `GET`, without the body.
 */
export declare const headCompany: <ThrowOnError extends boolean = false>(options: Options<HeadCompanyData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadCompanyResponses, HeadCompanyErrors, ThrowOnError, "fields">;
/**
 * Change a company
 *
 * Only the fields that are sent are written, so that two administrators who change different
 * fields do not undo each other. `status: archived` hides a company and keeps its data.
 *
 */
export declare const editCompany: <ThrowOnError extends boolean = false>(options: Options<EditCompanyData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<EditCompanyResponses, EditCompanyErrors, ThrowOnError, "fields">;
/**
 * List users
 *
 * In the order in which they were added, 25 at a time; `search` is a part of an e-mail address or of a name.
 *
 */
export declare const listUsers: <ThrowOnError extends boolean = false>(options?: Options<ListUsersData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ListUsersResponses, ListUsersErrors, ThrowOnError, "fields">;
/**
 * Whether users can be listed
 *
 * Answered like `GET`, without the body.
 */
export declare const headUsers: <ThrowOnError extends boolean = false>(options?: Options<HeadUsersData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadUsersResponses, HeadUsersErrors, ThrowOnError, "fields">;
/**
 * Invite a user
 *
 * The person chooses a password by a link that can be used once within 7 days. It is sent by
 * e-mail if the service has a mail server; otherwise `link` has it, to be passed on.
 *
 */
export declare const inviteUser: <ThrowOnError extends boolean = false>(options: Options<InviteUserData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<InviteUserResponses, InviteUserErrors, ThrowOnError, "fields">;
/**
 * A user
 *
 * The user with role and company.
 *
 */
export declare const getUser: <ThrowOnError extends boolean = false>(options: Options<GetUserData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetUserResponses, GetUserErrors, ThrowOnError, "fields">;
/**
 * Whether a user exists
 *
 * Answered like `GET`, without the body.
 */
export declare const headUser: <ThrowOnError extends boolean = false>(options: Options<HeadUserData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadUserResponses, HeadUserErrors, ThrowOnError, "fields">;
/**
 * Change a user
 *
 * Fields that are left out stay. A role counts from the next request on. `disabled` keeps the user
 * from logging in and ends the sessions. The last administrator who can log in keeps the role.
 *
 */
export declare const editUser: <ThrowOnError extends boolean = false>(options: Options<EditUserData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<EditUserResponses, EditUserErrors, ThrowOnError, "fields">;
/**
 * Delete a user
 *
 * Erases the person's data and ends the sessions and the connections that live on the person's
 * grants. It cannot be undone. No body.
 *
 */
export declare const deleteUser: <ThrowOnError extends boolean = false>(options: Options<DeleteUserData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<DeleteUserResponses, DeleteUserErrors, ThrowOnError, "fields">;
/**
 * Make a link to set a password
 *
 * As for an invitation. No body.
 *
 */
export declare const makeResetLink: <ThrowOnError extends boolean = false>(options: Options<MakeResetLinkData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<MakeResetLinkResponses, MakeResetLinkErrors, ThrowOnError, "fields">;
/**
 * Sessions of a user
 *
 * The last used first; `current` is false.
 *
 */
export declare const listUserSessions: <ThrowOnError extends boolean = false>(options: Options<ListUserSessionsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ListUserSessionsResponses, ListUserSessionsErrors, ThrowOnError, "fields">;
/**
 * Whether the sessions can be listed
 *
 * Answered like `GET`, without the body.
 */
export declare const headUserSessions: <ThrowOnError extends boolean = false>(options: Options<HeadUserSessionsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadUserSessionsResponses, HeadUserSessionsErrors, ThrowOnError, "fields">;
/**
 * End sessions of a user
 *
 * Ends the session with that id, or all.
 *
 */
export declare const endUserSessions: <ThrowOnError extends boolean = false>(options: Options<EndUserSessionsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<EndUserSessionsResponses, EndUserSessionsErrors, ThrowOnError, "fields">;
/**
 * Begin an authorization
 *
 * Keeps a new authorization state in the session, in the place of an earlier one, and returns
 * the provider's address for the user's browser. The state is good for 10 minutes and for one
 * callback. Checked in this order: login, pair, company, the right to edit it, configuration.
 * The right to edit is required where the service is set up so. No body.
 *
 */
export declare const connect: <ThrowOnError extends boolean = false>(options: Options<ConnectData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<ConnectResponses, ConnectErrors, ThrowOnError, "fields">;
/**
 * End of an authorization
 *
 * The provider sends the browser here. The session's state is removed when it is read, and the
 * answer is a redirect to `/konto/integracje` with one query parameter:
 * `oauth_success=<provider>/<service>`, or `oauth_error` with the first of these that applies:
 *
 * | oauth_error | when |
 * |---|---|
 * | the value of `error` | the provider sent one; what is not UTF-8 is a `?` |
 * | `missing_params` | `code` or `state` is missing |
 * | `unauthorized` | no user is logged in |
 * | `invalid_state` | the session has no state, another one, one made for another provider, or one older than 10 minutes |
 * | `invalid_state_format` | the state does not name a company, a user and a service |
 * | `unauthorized` | it names another user or another company than the user's |
 * | `token_exchange_failed` | the provider did not take the code |
 * | `save_failed` | the connection, or the session, could not be read or saved |
 *
 * A connection is finished although the browser leaves. A request with `prefetch` or `prerender`
 * in `Sec-Purpose` or `Purpose` takes nothing and is answered with 503, so that it is repeated.
 *
 */
export declare const callback: <ThrowOnError extends boolean = false>(options: Options<CallbackData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<unknown, CallbackErrors, ThrowOnError, "fields">;
/**
 * Where a callback leads
 *
 * A redirect to `/konto/integracje` without parameters, because a `HEAD` changes nothing: the
 * authorization is left for the `GET`.
 *
 */
export declare const headCallback: <ThrowOnError extends boolean = false>(options: Options<HeadCallbackData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<unknown, unknown, ThrowOnError, "fields">;
/**
 * State of the company's connections
 *
 * All four services, or none when the user has no company. Once a page is chosen, its connection
 * also reads the photo-network account: `social_photos` then shows that connection, unless it
 * cannot read the account.
 *
 */
export declare const getStatus: <ThrowOnError extends boolean = false>(options?: Options<GetStatusData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetStatusResponses, GetStatusErrors, ThrowOnError, "fields">;
/**
 * Headers of the state
 *
 * Answered like `GET`, without the body.
 */
export declare const headStatus: <ThrowOnError extends boolean = false>(options?: Options<HeadStatusData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadStatusResponses, HeadStatusErrors, ThrowOnError, "fields">;
/**
 * End a connection
 *
 * Makes the connection inactive and wipes its secrets at once, also when it is inactive
 * already; the grant is withdrawn at the provider afterwards, unless another connection lives
 * on it. The pair is not compared with the list of valid ones. The right to edit the
 * company is required where the service is set up so. No body.
 *
 */
export declare const disconnect: <ThrowOnError extends boolean = false>(options: Options<DisconnectData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<DisconnectResponses, DisconnectErrors, ThrowOnError, "fields">;
/**
 * Business-profile locations
 *
 * The locations of every account that the company's `search_profile` connection may see. If
 * there is one location only and none was chosen before, it is chosen, provided that the user
 * may edit the company. No body.
 *
 */
export declare const discoverLocations: <ThrowOnError extends boolean = false>(options?: Options<DiscoverLocationsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<DiscoverLocationsResponses, DiscoverLocationsErrors, ThrowOnError, "fields">;
/**
 * Choose the business-profile location
 *
 * Audits of the user's company read the chosen location from then on. The user must be allowed
 * to edit the company, whatever the access to companies is set to.
 *
 */
export declare const selectLocation: <ThrowOnError extends boolean = false>(options: Options<SelectLocationData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<SelectLocationResponses, SelectLocationErrors, ThrowOnError, "fields">;
/**
 * Properties of Search Console
 *
 * The properties whose figures the company's `search_analytics` connection may read, those that
 * fit the company's website first: the first of them is read if none is chosen. No body.
 *
 */
export declare const discoverProperties: <ThrowOnError extends boolean = false>(options?: Options<DiscoverPropertiesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<DiscoverPropertiesResponses, DiscoverPropertiesErrors, ThrowOnError, "fields">;
/**
 * Choose the property of Search Console
 *
 * The search figures of the user's company are those of the chosen property from then on, also
 * if it does not fit the company's website. The user must be allowed to edit the company.
 *
 */
export declare const selectProperty: <ThrowOnError extends boolean = false>(options: Options<SelectPropertyData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<SelectPropertyResponses, SelectPropertyErrors, ThrowOnError, "fields">;
/**
 * Social pages that can be chosen
 *
 * The pages that the user behind the company's `social_pages` connection manages. Login is all
 * that is checked; a service set to strict company access also answers 403 unless the user
 * may edit the company.
 *
 */
export declare const discoverPages: <ThrowOnError extends boolean = false>(options: Options<DiscoverPagesData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<DiscoverPagesResponses, DiscoverPagesErrors, ThrowOnError, "fields">;
/**
 * Choose the social page
 *
 * Links one of the managed pages to the company: its credential replaces the user's, which is
 * kept beside it, and the company's social media configuration is made or updated. Then its
 * statistics are synced; when that fails, `sync` is null. Access is as with `discover-pages`.
 *
 */
export declare const selectPage: <ThrowOnError extends boolean = false>(options: Options<SelectPageData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<SelectPageResponses, SelectPageErrors, ThrowOnError, "fields">;
/**
 * Refresh the page's statistics
 *
 * Reads the current figures of the company's chosen page and stores them with their date. A
 * metric that the provider no longer knows is listed in `unavailable` and fails nothing; one
 * that could not be read keeps its last value and date, see `metrics_state`. A missing
 * permission marks the connection as one that needs reconnecting.
 *
 */
export declare const syncPage: <ThrowOnError extends boolean = false>(options: Options<SyncPageData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<SyncPageResponses, SyncPageErrors, ThrowOnError, "fields">;
/**
 * Refresh the photo-network statistics
 *
 * Reads profile, newest media and insights of the photo-network account that is linked to the
 * company's chosen page, and stores them with their date. If no page is chosen, and
 * `social_photos` is connected, it is the only page for which its user may act; if there are
 * several or none, `code` is `no_page`. Insights that could not be read are treated as those of
 * `sync-facebook`.
 *
 */
export declare const syncPhotos: <ThrowOnError extends boolean = false>(options: Options<SyncPhotosData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<SyncPhotosResponses, SyncPhotosErrors, ThrowOnError, "fields">;
/**
 * The provider tells that a person removed the app
 *
 * The provider's deauthorize callback. It ends every connection of the person whom
 * `signed_request` names; one that was granted after the request was issued stays. The
 * signature takes the place of a login, and the request may come from any site. At most 20 of
 * one person in an hour.
 *
 */
export declare const deauthorize: <ThrowOnError extends boolean = false>(options: Options<DeauthorizeData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<DeauthorizeResponses, DeauthorizeErrors, ThrowOnError, "fields">;
/**
 * The provider asks for a person's data to be deleted
 *
 * The provider's data deletion callback: as `deauthorize`, and the person's id and name are
 * taken out of every record. `url` is a page that needs no login and tells the state.
 *
 */
export declare const deleteData: <ThrowOnError extends boolean = false>(options: Options<DeleteDataData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<DeleteDataResponses, DeleteDataErrors, ThrowOnError, "fields">;
/**
 * Refresh the search figures of the website
 *
 * Reads how the company's website was found in the last 28 days of which the provider has all
 * figures, and stores it with its date. The site is the chosen property; if none is chosen, the
 * property of the connected account that fits the company's website best: its address, the same
 * host with the other scheme or `www.`, then a property of its domain. If there is none, the code
 * is `no_site`; if the chosen one cannot be read any more, `property_lost`.
 *
 */
export declare const syncAnalytics: <ThrowOnError extends boolean = false>(options: Options<SyncAnalyticsData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<SyncAnalyticsResponses, SyncAnalyticsErrors, ThrowOnError, "fields">;
/**
 * Refresh the figures of the business profile
 *
 * Reads how the chosen location was found and used, in the search and on maps, and stores each
 * day; figures that the provider delivers late replace earlier ones. The answer has the last 28
 * days with figures, and the most frequent search keywords of the last full month. If the
 * provider has no figures for the location, for example because it is not verified, the code is
 * `no_figures`.
 *
 */
export declare const syncPerformance: <ThrowOnError extends boolean = false>(options: Options<SyncPerformanceData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<SyncPerformanceResponses, SyncPerformanceErrors, ThrowOnError, "fields">;
/**
 * Whether audits can be read
 *
 * 503 when the database does not answer. No login.
 */
export declare const getAuditHealth: <ThrowOnError extends boolean = false>(options?: Options<GetAuditHealthData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetAuditHealthResponses, GetAuditHealthErrors, ThrowOnError, "fields">;
/**
 * Status of the health answer
 *
 * Answered like `GET`, without the body.
 */
export declare const headAuditHealth: <ThrowOnError extends boolean = false>(options?: Options<HeadAuditHealthData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadAuditHealthResponses, HeadAuditHealthErrors, ThrowOnError, "fields">;
/**
 * Newest audit of a company
 *
 * The newest stored audit in full. Only companies whose status is `active` are found. No
 * login.
 *
 */
export declare const getAudit: <ThrowOnError extends boolean = false>(options?: Options<GetAuditData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetAuditResponses, GetAuditErrors, ThrowOnError, "fields">;
/**
 * Whether a company has an audit
 *
 * Answered like `GET`, without the body.
 */
export declare const headAudit: <ThrowOnError extends boolean = false>(options?: Options<HeadAuditData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadAuditResponses, HeadAuditErrors, ThrowOnError, "fields">;
/**
 * Audit a company now
 *
 * Finds the active company, requires the right to edit it, takes one of the user's 20 audits
 * in any 60 minutes, refreshes the external profile when `fetch_external` asks for it, and
 * audits. A refresh that fails fails nothing: `google_fetch` says so, and the audit reads what
 * is known. External data of the last 24 hours is used again unless `force_refresh`.
 *
 */
export declare const runAudit: <ThrowOnError extends boolean = false>(options: Options<RunAuditData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<RunAuditResponses, RunAuditErrors, ThrowOnError, "fields">;
/**
 * Newest audit of a company, in short
 *
 * Like the query by `slug`, without flags, source, version and place. No login.
 */
export declare const getAuditBySlug: <ThrowOnError extends boolean = false>(options: Options<GetAuditBySlugData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetAuditBySlugResponses, GetAuditBySlugErrors, ThrowOnError, "fields">;
/**
 * Whether a company has an audit, by slug
 *
 * Answered like `GET`, without the body.
 */
export declare const headAuditBySlug: <ThrowOnError extends boolean = false>(options: Options<HeadAuditBySlugData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadAuditBySlugResponses, HeadAuditBySlugErrors, ThrowOnError, "fields">;
/**
 * Earlier audits of a company
 *
 * Stored audits without their details, newest first, for a chart. `next_before` is the
 * `before` of the following page, null on the last one. No login.
 *
 */
export declare const getAuditHistory: <ThrowOnError extends boolean = false>(options: Options<GetAuditHistoryData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<GetAuditHistoryResponses, GetAuditHistoryErrors, ThrowOnError, "fields">;
/**
 * Headers of a page of audits
 *
 * Answered like `GET`, without the body.
 */
export declare const headAuditHistory: <ThrowOnError extends boolean = false>(options: Options<HeadAuditHistoryData, ThrowOnError>) => import("./client/types.gen.js").RequestResult<HeadAuditHistoryResponses, HeadAuditHistoryErrors, ThrowOnError, "fields">;
