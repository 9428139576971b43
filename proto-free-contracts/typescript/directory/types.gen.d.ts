export type ClientOptions = {
    baseUrl: `${string}://${string}` | (string & {});
};
/**
 * OAuth 2.0 provider.
 */
export type Provider = 'provider_search' | 'provider_social';
/**
 * What a company connects at a provider.
 */
export type Service = 'search_profile' | 'search_analytics' | 'social_pages' | 'social_photos';
/**
 * Place in the hierarchy, ascending.
 */
export type Role = 'UNAFFILIATED' | 'MEMBER' | 'EMPLOYEE' | 'MANAGER' | 'OFFICE_MANAGER' | 'ADMIN';
/**
 * The operation succeeded.
 */
export type True = true;
/**
 * The operation failed.
 */
export type False = false;
/**
 * Polish text for people; its wording may change.
 */
export type Message = string;
/**
 * Identifier.
 */
export type Id = number;
/**
 * ISO 8601 in UTC.
 */
export type Time = string;
/**
 * A number of things.
 */
export type Count = number;
/**
 * Average of the reviews; null without reviews.
 */
export type Rating = number | null;
/**
 * Id of a company, as a number or as its digits.
 */
export type CompanyIdValue = number | string;
export type LoginRequest = {
    /**
     * Compared without letter case and outer white space.
     */
    email: string;
    /**
     * As it was set.
     */
    password: string;
    [key: string]: unknown;
};
export type CompanyRequest = {
    company_id: CompanyIdValue;
    [key: string]: unknown;
};
export type SelectPageRequest = {
    company_id: CompanyIdValue;
    /**
     * Id of a page; a number is compared as its digits.
     */
    page_id: string | number;
    [key: string]: unknown;
};
export type SelectLocationRequest = {
    /**
     * The location's resource name.
     */
    location_name: string;
    [key: string]: unknown;
};
export type SelectPropertyRequest = {
    /**
     * As discover-properties names it. Null, or an empty text, leaves the choice to the company's
     * website again.
     *
     */
    property?: string | null;
    [key: string]: unknown;
};
/**
 * It names a company by `company_id` or `slug`.
 */
export type AuditRequest = {
    company_id?: CompanyIdValue;
    /**
     * Slug of the company; does not count beside company_id.
     */
    slug?: string;
    /**
     * Store the audit.
     */
    save?: boolean;
    /**
     * Refresh the external profile first.
     */
    fetch_external?: boolean;
    /**
     * Also when its data are less than 24 hours old.
     */
    force_refresh?: boolean;
    [key: string]: unknown;
};
export type PasswordRequest = {
    /**
     * As it was set.
     */
    old_password: string;
    new_password: NewPassword;
    [key: string]: unknown;
};
/**
 * At least 12 characters and at most 512 bytes, not among the 10,000 most common, without the name of the account.
 */
export type NewPassword = string;
export type ResetRequest = {
    /**
     * Compared without letter case and outer white space.
     */
    email: string;
    [key: string]: unknown;
};
export type ConfirmRequest = {
    /**
     * That of the link.
     */
    token: string;
    new_password: NewPassword;
    [key: string]: unknown;
};
export type ProfileRequest = {
    /**
     * The user's name, which may be empty.
     */
    name: string;
    [key: string]: unknown;
};
export type EmailRequest = {
    /**
     * The new address.
     */
    email: string;
    /**
     * The user's password.
     */
    password: string;
    [key: string]: unknown;
};
export type EmailConfirmation = {
    /**
     * That of the link.
     */
    token: string;
    [key: string]: unknown;
};
export type ColleagueRequest = {
    /**
     * The address that the person will log in with.
     */
    email: string;
    /**
     * The person's name.
     */
    name?: string | null;
    role: Role;
    [key: string]: unknown;
};
export type EndSessionsRequest = {
    /**
     * Id of a session; without it all are meant.
     */
    session_id?: string | null;
    [key: string]: unknown;
};
export type AddCompanyRequest = {
    /**
     * The company's name.
     */
    name: string;
    /**
     * URL-safe identifier: a-z, 0-9 and single hyphens, neither health nor history.
     */
    slug: string;
    /**
     * An archived company keeps its data and is not shown.
     */
    status?: 'active' | 'archived' | null;
    /**
     * Street and number, postal code, city.
     */
    address?: string | null;
    /**
     * Telephone number.
     */
    phone?: string | null;
    /**
     * Address of the website.
     */
    website?: string | null;
    /**
     * Opening hours, a line for each day.
     */
    hours?: string | null;
    /**
     * What the company does.
     */
    description?: string | null;
    /**
     * Address of the logo.
     */
    logo_url?: string | null;
    /**
     * Address of the cover photo.
     */
    cover_photo_url?: string | null;
    /**
     * External place identifier.
     */
    place_id?: string | null;
    /**
     * Categories.
     */
    categories?: Array<string> | null;
    /**
     * Services.
     */
    services?: Array<string> | null;
    [key: string]: unknown;
};
export type CompanyChange = {
    /**
     * The company's name.
     */
    name?: string | null;
    /**
     * An archived company keeps its data and is not shown.
     */
    status?: 'active' | 'archived' | null;
    /**
     * Street and number, postal code, city.
     */
    address?: string | null;
    /**
     * Telephone number.
     */
    phone?: string | null;
    /**
     * Address of the website.
     */
    website?: string | null;
    /**
     * Opening hours, a line for each day.
     */
    hours?: string | null;
    /**
     * What the company does.
     */
    description?: string | null;
    /**
     * Address of the logo.
     */
    logo_url?: string | null;
    /**
     * Address of the cover photo.
     */
    cover_photo_url?: string | null;
    /**
     * External place identifier.
     */
    place_id?: string | null;
    /**
     * Categories.
     */
    categories?: Array<string> | null;
    /**
     * Services.
     */
    services?: Array<string> | null;
    [key: string]: unknown;
};
export type InviteRequest = {
    /**
     * The address that the user will log in with.
     */
    email: string;
    /**
     * The user's name.
     */
    name?: string | null;
    role: Role;
    company_id?: AssignedCompany;
    [key: string]: unknown;
};
export type UserChange = {
    /**
     * The user's name.
     */
    name?: string | null;
    /**
     * Another role.
     */
    role?: Role | null;
    company_id?: AssignedCompany;
    /**
     * Whether the user is kept from logging in.
     */
    disabled?: boolean | null;
    [key: string]: unknown;
};
/**
 * Id of an active company, as a number or as its digits; 0 is none.
 */
export type AssignedCompany = number | string | null;
export type Error = {
    success: False;
    error: Message;
};
/**
 * A failure that concerns a company, whose id and name then stand beside it.
 */
export type CompanyError = {
    success: False;
    error: Message;
    company_id?: Id;
    /**
     * The company's name.
     */
    company_name?: string;
};
export type Done = {
    success: True;
    message: Message;
};
export type Me = {
    success: True;
    user: User;
    /**
     * The user's company; null when none is assigned.
     */
    company: Company | null;
    permissions: Permissions;
};
export type User = {
    id: Id;
    /**
     * The address that the user logs in with.
     */
    email: string;
    /**
     * The user's name; may be empty.
     */
    name: string;
    role: Role;
};
export type Company = {
    id: Id;
    /**
     * The company's name.
     */
    name: string;
    /**
     * URL-safe identifier.
     */
    slug: string;
};
export type Permissions = {
    /**
     * Sync and audit the user's own company; false without one.
     */
    can_edit_company: boolean;
    /**
     * Use the admin UI.
     */
    can_access_admin_panel: boolean;
    /**
     * Moderate the forum.
     */
    can_moderate_forum: boolean;
};
export type ManagedCompany = {
    id: Id;
    /**
     * The company's name.
     */
    name: string;
    /**
     * URL-safe identifier.
     */
    slug: string;
    /**
     * `active`; audits show no other company.
     */
    status: string;
    /**
     * Street and number, postal code, city.
     */
    address: string;
    /**
     * Telephone number.
     */
    phone: string;
    /**
     * Address of the website.
     */
    website: string;
    /**
     * Opening hours, a line for each day.
     */
    hours: string;
    /**
     * What the company does.
     */
    description: string;
    /**
     * Address of the logo.
     */
    logo_url: string;
    /**
     * Address of the cover photo.
     */
    cover_photo_url: string;
    /**
     * External place identifier.
     */
    place_id: string;
    /**
     * Categories.
     */
    categories: Array<string>;
    /**
     * Services.
     */
    services: Array<string>;
    created_at: Time;
    updated_at: Time;
};
export type CompanyResponse = {
    success: True;
    company: ManagedCompany;
};
export type ListedCompany = {
    id: Id;
    /**
     * The company's name.
     */
    name: string;
    /**
     * URL-safe identifier.
     */
    slug: string;
    /**
     * `active`; audits show no other company.
     */
    status: string;
};
export type CompaniesResponse = {
    success: True;
    /**
     * By name.
     */
    companies: Array<ListedCompany>;
    /**
     * `after` of the next page; null on the last one.
     */
    next: string | null;
};
export type ManagedUser = {
    id: Id;
    /**
     * Id of the company; null for none.
     */
    company_id: number | null;
    /**
     * The address that the user logs in with.
     */
    email: string;
    /**
     * The user's name; may be empty.
     */
    name: string;
    role: Role;
    /**
     * Since when the user is kept from logging in; null if the user is not.
     */
    disabled_at: Time | null;
    created_at: Time;
    updated_at: Time;
};
export type UserResponse = {
    success: True;
    user: ManagedUser;
};
export type ColleaguesResponse = {
    success: True;
    /**
     * In the order in which they were added.
     */
    users: Array<ManagedUser>;
};
export type UsersResponse = {
    success: True;
    /**
     * In the order in which they were added.
     */
    users: Array<ManagedUser>;
    /**
     * `after` of the next page; null on the last one.
     */
    next: string | null;
};
export type PasswordLink = {
    /**
     * Where the person chooses a password. It is shown only here.
     */
    url: string;
    expires_at: Time;
};
export type InvitedResponse = {
    success: True;
    user: ManagedUser;
    /**
     * Null if the link was sent by e-mail.
     */
    link: PasswordLink | null;
};
export type LinkResponse = {
    success: True;
    /**
     * Null if the link was sent by e-mail.
     */
    link: PasswordLink | null;
};
export type Session = {
    /**
     * Distinguishes the sessions of one user.
     */
    id: string;
    created_at: Time;
    last_seen_at: Time;
    /**
     * Browser and system, such as `Firefox, Windows`; empty if unknown.
     */
    browser: string;
    /**
     * The network from which the user logged in: an IPv4 address, or an IPv6 /56 prefix.
     */
    network: string;
    /**
     * It is that of the request.
     */
    current: boolean;
};
export type SessionsResponse = {
    success: True;
    /**
     * The last used first.
     */
    sessions: Array<Session>;
};
export type EndedResponse = {
    success: True;
    ended: Count;
};
export type Authorization = {
    success: True;
    /**
     * The provider's consent page for this authorization.
     */
    auth_url: string;
};
export type StatusResponse = {
    success: True;
    services: Services;
};
/**
 * All four services, or none.
 */
export type Services = {
    'provider_search/search_profile'?: ServiceStatus;
    'provider_search/search_analytics'?: ServiceStatus;
    'provider_social/social_pages'?: ServiceStatus;
    'provider_social/social_photos'?: ServiceStatus;
};
export type ServiceStatus = {
    /**
     * Polish name of the service.
     */
    name: string;
    /**
     * Polish description of the service.
     */
    description: string;
    /**
     * There is an active connection.
     */
    connected: boolean;
    /**
     * The chosen page or location, else the connected account.
     */
    account_id: string | null;
    /**
     * Its name.
     */
    account_name: string | null;
    /**
     * When the credential ends; null when it does not, or is not known.
     */
    expires_at: Time | null;
    /**
     * The credential has ended and cannot be renewed.
     */
    is_expired: boolean;
    /**
     * Only the user can mend the connection.
     */
    needs_reconnect: boolean;
    /**
     * Why, in Polish.
     */
    reason: string | null;
    state: ServiceState;
    /**
     * When the provider stops to tell anything until the person connects again; null when it is not known.
     */
    data_access_expires_at: Time | null;
};
/**
 * Whether the service has been read, and what mends it if it cannot be read.
 */
export type ServiceState = {
    /**
     * `reading` is connected and not read yet; `failed` cannot be read.
     */
    progress: 'not_connected' | 'reading' | 'read' | 'failed';
    /**
     * When it was last read.
     */
    read_at: Time | null;
    /**
     * Name of the account, page, location or property that was read.
     */
    of: string | null;
    /**
     * Why it cannot be read, in Polish.
     */
    reason: string | null;
    /**
     * What has to be done, or null: `connect`, `reconnect`, `choose_page`, `choose_location`,
     * `add_property`, `mend_account`, `wait` or `contact_operator`.
     *
     */
    act: string | null;
};
export type LocationsResponse = {
    success: True;
    /**
     * Over all accounts.
     */
    locations: Array<Location>;
    /**
     * False when there are more, or an account could not be read.
     */
    complete: boolean;
    /**
     * Names of the accounts that could not be read.
     */
    unread_accounts: Array<string>;
};
export type PropertiesResponse = {
    success: True;
    /**
     * The best first.
     */
    properties: Array<Property>;
};
/**
 * A property of Search Console.
 */
export type Property = {
    /**
     * Its name, such as `https://firma.pl/` or `sc-domain:firma.pl`.
     */
    property: string;
    /**
     * It shows how the company's website is found.
     */
    fits_website: boolean;
    /**
     * It was chosen to be read.
     */
    is_chosen: boolean;
};
export type SelectedLocation = {
    success: True;
    message: Message;
    location: Location;
};
/**
 * A business-profile location. What the provider does not tell is empty.
 */
export type Location = {
    /**
     * Resource name.
     */
    name: string;
    /**
     * Name of the business.
     */
    title: string;
    /**
     * Resource name of the account that lists it.
     */
    account_name: string;
    /**
     * The provider's type of that account.
     */
    account_type: string;
    /**
     * The business's own code of the location.
     */
    store_code: string;
    /**
     * Postal address in one line.
     */
    address: string;
    /**
     * Primary phone number.
     */
    phone: string;
    /**
     * Address of the website.
     */
    website: string;
    /**
     * Primary category.
     */
    category: string;
    /**
     * External place identifier.
     */
    place_id: string;
    /**
     * The location on the map.
     */
    maps_url: string;
};
export type PagesResponse = {
    success: True;
    /**
     * Managed pages.
     */
    pages: Array<Page>;
    /**
     * False when there are more, or a business portfolio could not be read.
     */
    complete: boolean;
};
export type Page = {
    /**
     * The provider's id of the page.
     */
    id: string;
    /**
     * Name.
     */
    name: string;
    /**
     * Category.
     */
    category: string;
    /**
     * Fans.
     */
    fan_count: number;
    /**
     * The page has a credential and can be chosen.
     */
    selectable: boolean;
    /**
     * Why it cannot be chosen, in Polish.
     */
    reason: string | null;
};
export type SignedRequest = {
    /**
     * Signature (HMAC-SHA256) and payload in base64url, with a dot between them.
     */
    signed_request: string;
    [key: string]: unknown;
};
export type DataDeletion = {
    /**
     * Page with the state of the deletion.
     */
    url: string;
    /**
     * The code in it.
     */
    confirmation_code: string;
};
export type SelectedPage = {
    success: True;
    message: Message;
    page: ChosenPage;
    /**
     * Data of the first sync; null when it failed.
     */
    sync: PageData | null;
};
export type ChosenPage = {
    /**
     * The provider's id of the page.
     */
    id: string;
    /**
     * Name.
     */
    name: string;
    /**
     * Category.
     */
    category: string;
};
export type PageSyncResult = {
    success: True;
    data: PageData;
    message: Message;
    /**
     * Only failures have one.
     */
    code: null;
};
export type PhotoSyncResult = {
    success: True;
    data: PhotoData;
    message: Message;
    /**
     * Only failures have one.
     */
    code: null;
};
export type SearchSyncResult = {
    success: True;
    data: SearchData;
    message: Message;
    /**
     * Only failures have one.
     */
    code: null;
};
export type SearchData = {
    /**
     * As the provider names it: an address, or `sc-domain:` and a domain.
     */
    site: string;
    /**
     * First day, in the provider's Pacific time.
     */
    from: string;
    to: string;
    clicks: number;
    impressions: number;
    /**
     * Clicks per impression.
     */
    ctr: number;
    /**
     * Average position; 1 is the top, 0 means no impressions.
     */
    position: number;
    /**
     * Days with impressions, oldest first.
     */
    days: Array<SearchDay>;
    /**
     * The same of the days before `from`, 180 days back from `to`, to compare with.
     */
    earlier: Array<SearchDay>;
    /**
     * Those that led to the site most often.
     */
    queries: Array<SearchQuery>;
    synced_at: Time;
};
export type SearchDay = {
    day: string;
    clicks: number;
    impressions: number;
    position: number;
};
export type SearchQuery = {
    query: string;
    clicks: number;
    impressions: number;
    ctr: number;
    position: number;
};
export type PerformanceSyncResult = {
    success: True;
    data: PerformanceData;
    message: Message;
    /**
     * Only failures have one.
     */
    code: null;
};
/**
 * The sums are of `days`.
 */
export type PerformanceData = {
    /**
     * Resource name, such as `locations/123`.
     */
    location: string;
    /**
     * First day, such as `2026-11-20`; empty without figures.
     */
    from: string;
    /**
     * Newest day with figures. The provider is some days late.
     */
    to: string;
    /**
     * People who saw the profile, each once a day for each kind of device, in the search and on maps.
     */
    impressions: number;
    /**
     * Clicks to call.
     */
    calls: number;
    /**
     * Requests for directions.
     */
    directions: number;
    /**
     * Clicks to the website.
     */
    website: number;
    /**
     * Clicks to send a message.
     */
    messages: number;
    bookings: number;
    /**
     * Without gaps, oldest first.
     */
    days: Array<PerformanceDay>;
    /**
     * Month of the keywords, such as `2026-10`.
     */
    month: string;
    /**
     * What people searched for most often.
     */
    keywords: Array<PerformanceKeyword>;
    synced_at: Time;
};
export type PerformanceDay = {
    day: string;
    /**
     * Impressions in the search, on computers.
     */
    search_desktop: number;
    search_mobile: number;
    /**
     * Impressions on maps, on computers.
     */
    maps_desktop: number;
    maps_mobile: number;
    calls: number;
    directions: number;
    website: number;
    messages: number;
    bookings: number;
};
export type PerformanceKeyword = {
    keyword: string;
    impressions: number;
    /**
     * There were fewer than `impressions`; the provider does not say how many.
     */
    fewer: boolean;
};
/**
 * The sync result of a failure, with the same text in `error` and `message`; or, when the
 * request itself is refused, `error` alone.
 *
 */
export type SyncFailure = {
    success: False;
    error: Message;
    /**
     * Nothing was read.
     */
    data?: null;
    message?: Message;
    code?: SyncCode;
};
/**
 * Stable code for programs.
 */
export type SyncCode = 'no_connection' | 'no_page' | 'no_site' | 'property_lost' | 'no_location' | 'no_figures' | 'too_much_work' | 'provider_reconnect' | 'provider_permission' | 'provider_throttled' | 'provider_temporary' | 'provider_setup' | 'provider_gone' | 'provider_changed' | 'internal';
export type PageData = {
    fan_count: Count;
    followers_count: Count;
    /**
     * Name of the page.
     */
    name: string;
    /**
     * Its category.
     */
    category: string;
    /**
     * Its address.
     */
    link: string;
    metrics: Metrics;
    unavailable: Unavailable;
    synced_at: Time;
    metrics_state: MetricsState;
    metrics_reason: MetricsReason;
    metrics_kept_from: MetricsKeptFrom;
};
export type PhotoData = {
    profile: PhotoProfile;
    /**
     * Newest first.
     */
    media: Array<Medium>;
    engagement: Engagement;
    insights: Metrics;
    unavailable: Unavailable;
    synced_at: Time;
    metrics_state: MetricsState;
    metrics_reason: MetricsReason;
    metrics_kept_from: MetricsKeptFrom;
};
/**
 * `complete`: all metrics were asked for. `partial`: some could not be read, and `skipped`:
 * none could, because a limit of the provider is nearly used up, a permission is missing, or
 * the provider failed. What could not be read stands as an earlier sync read it.
 *
 */
export type MetricsState = 'complete' | 'partial' | 'skipped';
/**
 * Why the metrics are not complete, in Polish; null when they are.
 */
export type MetricsReason = string | null;
/**
 * The names of metrics that are kept from an earlier sync, and when it read them.
 */
export type MetricsKeptFrom = {
    [key: string]: Time;
};
/**
 * The provider's name of a metric, and its latest value: a number, or an object of numbers.
 */
export type Metrics = {
    [key: string]: number | {
        [key: string]: number;
    };
};
/**
 * Metrics that the provider no longer knows.
 */
export type Unavailable = Array<string>;
export type PhotoProfile = {
    /**
     * The provider's id of the account.
     */
    id: string;
    /**
     * Handle.
     */
    username: string;
    /**
     * Name.
     */
    name: string;
    /**
     * Text of the profile.
     */
    biography: string;
    /**
     * Address given in the profile.
     */
    website: string;
    /**
     * Address of the picture.
     */
    profile_picture_url: string;
    followers_count: Count;
    follows_count: Count;
    media_count: Count;
};
export type Medium = {
    /**
     * The provider's id of the post.
     */
    id: string;
    /**
     * Its text.
     */
    caption: string;
    /**
     * The provider's type, such as IMAGE or VIDEO.
     */
    media_type: string;
    /**
     * Its address.
     */
    permalink: string;
    timestamp: Time;
    /**
     * Null where the owner hides it.
     */
    like_count: number | null;
    comments_count: Count;
};
/**
 * Sums over the listed media.
 */
export type Engagement = {
    likes: Count;
    comments: Count;
    /**
     * (likes + comments) per medium and follower, in percent.
     */
    rate: number;
};
export type Healthy = {
    /**
     * Always ok.
     */
    status: 'ok';
    /**
     * Name of the component.
     */
    service: 'bizprofile-audit';
    version: AuditVersion;
    available: True;
};
export type Unhealthy = {
    /**
     * Always unavailable.
     */
    status: 'unavailable';
    /**
     * Name of the component.
     */
    service: 'bizprofile-audit';
    available: False;
    error: Message;
};
/**
 * Version of the audit's rules.
 */
export type AuditVersion = '1.0';
/**
 * Percent of the points that can be known.
 */
export type Score = number;
/**
 * From 90, from 70, from 50, and below.
 */
export type ScoreCategory = 'excellent' | 'good' | 'needs_work' | 'poor';
/**
 * A checked field.
 */
export type Field = 'name' | 'address' | 'phone' | 'website' | 'hours' | 'categories' | 'photos' | 'description' | 'services' | 'reviews';
/**
 * Results by checked field.
 */
export type FieldsStatus = {
    name: FieldStatus;
    address: FieldStatus;
    phone: FieldStatus;
    website: FieldStatus;
    hours: FieldStatus;
    categories: FieldStatus;
    photos: FieldStatus;
    description: FieldStatus;
    services: FieldStatus;
    reviews: FieldStatus;
};
export type FieldStatus = {
    /**
     * An unknown field, which no source could tell, does not count in the score.
     */
    status: 'complete' | 'partial' | 'missing' | 'unknown';
    /**
     * What was found.
     */
    value: string | null;
    /**
     * Points.
     */
    score: number;
    /**
     * Points at most.
     */
    max_score: number;
    /**
     * What to do about it, in Polish; empty when nothing is to be done.
     */
    recommendation: string;
};
/**
 * Most points first.
 */
export type Recommendations = Array<Recommendation>;
export type Recommendation = {
    field: Field;
    /**
     * By points.
     */
    priority: 'high' | 'medium' | 'low';
    /**
     * Points of the score that it gains. Their sum is what the score lacks.
     */
    points: number;
    /**
     * What to do about it, in Polish.
     */
    text: string;
};
/**
 * Where the profile was read.
 */
export type AuditSource = 'business_profile' | 'places' | 'company_record';
/**
 * Share, of 100, of the points that the sources could tell; the score is of this part alone.
 * Where subject, source or coverage changes, two scores do not compare.
 *
 */
export type Coverage = number;
/**
 * What the owner should know and no score counts; null when the source cannot tell.
 */
export type Signals = Array<'suspended' | 'not_verified' | 'under_review' | 'duplicate' | 'edits_pending' | 'changed_by_google' | 'special_hours_missing'> | null;
/**
 * The public holidays that special_hours_missing is about.
 */
export type HolidaysWithoutHours = Array<string>;
/**
 * When the data of the source were read.
 */
export type DataAt = string;
/**
 * When the audit was made, ISO 8601 in UTC.
 */
export type AuditDate = string | null;
/**
 * External place identifier; empty when not known.
 */
export type PlaceId = string;
/**
 * The business that was audited, as its source names it.
 */
export type AuditSubject = {
    /**
     * Name of the location.
     */
    name: string;
    /**
     * Address of the location; empty if the source has none.
     */
    address: string;
};
/**
 * How each source was read, or why it was not used; empty for audits of earlier versions.
 */
export type AuditSources = Array<FetchStep>;
/**
 * The field was found, in full or in part.
 */
export type Has = boolean;
export type AuditResponse = {
    success: True;
    company_id: Id;
    /**
     * The company's name.
     */
    company_name: string;
    /**
     * The company's slug.
     */
    company_slug: string;
    audit: Audit;
};
export type Audit = {
    id: Id;
    audit_date: AuditDate;
    completeness_score: Score;
    score_category: ScoreCategory;
    fields_status: FieldsStatus;
    recommendations: Recommendations;
    has_name: Has;
    has_address: Has;
    has_phone: Has;
    has_website: Has;
    has_hours: Has;
    has_categories: Has;
    has_photos: Has;
    has_description: Has;
    has_services: Has;
    has_reviews: Has;
    photo_count: Count;
    review_count: Count;
    average_rating: Rating;
    place_id: PlaceId;
    audit_source: AuditSource;
    audit_version: AuditVersion;
    coverage: Coverage;
    signals: Signals;
    subject: AuditSubject;
    sources: AuditSources;
    data_at: DataAt;
    holidays_without_hours: HolidaysWithoutHours;
};
export type ShortAuditResponse = {
    success: True;
    company_id: Id;
    /**
     * The company's name.
     */
    company_name: string;
    /**
     * The company's slug.
     */
    company_slug: string;
    audit: ShortAudit;
};
export type ShortAudit = {
    id: Id;
    audit_date: AuditDate;
    completeness_score: Score;
    score_category: ScoreCategory;
    fields_status: FieldsStatus;
    recommendations: Recommendations;
    photo_count: Count;
    review_count: Count;
    average_rating: Rating;
};
export type HistoryResponse = {
    success: True;
    company_id: Id;
    /**
     * The company's name.
     */
    company_name: string;
    /**
     * The company's slug.
     */
    company_slug: string;
    /**
     * Newest first.
     */
    audits: Array<PastAudit>;
    /**
     * The following page; null on the last one.
     */
    next_before: number | null;
};
export type PastAudit = {
    id: Id;
    audit_date: AuditDate;
    completeness_score: Score;
    score_category: ScoreCategory;
    photo_count: Count;
    review_count: Count;
    average_rating: Rating;
    audit_source: AuditSource;
    audit_version: AuditVersion;
    coverage: Coverage;
    subject: AuditSubject;
};
export type AuditRunResponse = {
    success: True;
    message: Message;
    company_id: Id;
    /**
     * The company's name.
     */
    company_name: string;
    /**
     * The company's slug.
     */
    company_slug: string;
    audit_version: AuditVersion;
    /**
     * E-mail address of the user.
     */
    triggered_by: string;
    triggered_at: Time;
    /**
     * The audit was stored.
     */
    saved: boolean;
    audit: AuditRun;
    google_fetch?: Fetch;
};
export type AuditRun = {
    completeness_score: Score;
    score_category: ScoreCategory;
    fields_status: FieldsStatus;
    recommendations: Recommendations;
    photo_count: Count;
    /**
     * The profile has a logo.
     */
    logo_present: boolean;
    /**
     * The profile has a cover photo.
     */
    cover_photo_present: boolean;
    review_count: Count;
    average_rating: Rating;
    place_id: PlaceId;
    coverage: Coverage;
    signals: Signals;
    subject: AuditSubject;
    sources: AuditSources;
    data_at: DataAt;
    holidays_without_hours: HolidaysWithoutHours;
};
/**
 * The refresh of the external profile; only there when it ran.
 */
export type Fetch = {
    /**
     * External data are there.
     */
    success: boolean;
    /**
     * What was tried.
     */
    steps: Array<FetchStep>;
    /**
     * The profile that was read.
     */
    data: Profile | null;
    /**
     * Why there are no data, in Polish.
     */
    error: string | null;
};
export type FetchStep = {
    /**
     * The source that was tried; `save` when what it told could not be kept.
     */
    step: 'business_profile' | 'places' | 'save';
    /**
     * Read now, read before, not connected or not set up or not to be read, not known there, failed.
     */
    status: 'ok' | 'reused' | 'skipped' | 'not_found' | 'failed';
    /**
     * The same for people, in Polish.
     */
    message: string;
};
/**
 * What one source knows of a company's business profile.
 */
export type Profile = {
    source: AuditSource;
    /**
     * Fields that the source can tell; the others are unknown.
     */
    tells: Array<Field>;
    place_id: PlaceId;
    /**
     * Name.
     */
    name: string;
    /**
     * Postal address.
     */
    address: string;
    /**
     * Phone number.
     */
    phone: string;
    /**
     * Address of the website.
     */
    website: string;
    /**
     * A line for each day with hours.
     */
    hours: Array<string>;
    /**
     * Categories.
     */
    categories: Array<string>;
    /**
     * Description.
     */
    description: string;
    /**
     * Services.
     */
    services: Array<string>;
    photo_count: Count;
    review_count: Count;
    /**
     * Zero without reviews.
     */
    average_rating: number;
    /**
     * There is a logo.
     */
    logo_present: boolean;
    /**
     * There is a cover photo.
     */
    cover_photo_present: boolean;
    fetched_at: Time;
};
/**
 * `ETag` of an earlier answer; while it is current the answer is 304 (RFC 9110, section 13.1.2).
 */
export type IfNoneMatch = string;
/**
 * An OAuth 2.0 provider.
 */
export type ProviderName = Provider;
/**
 * A service of that provider, also one that is no longer offered, if it is stored.
 */
export type StoredService = string;
/**
 * A service of that provider: `search_profile` and `search_analytics` of `provider_search`,
 * `social_pages` and `social_photos` of `provider_social`.
 *
 */
export type ServiceName = Service;
/**
 * The provider that sends the browser. An unknown one is answered with `invalid_state`.
 */
export type CallbackProvider = string;
/**
 * The authorization code (RFC 6749, section 4.1.2).
 */
export type Code = string;
/**
 * The state that connect made: `<company_id>:<user_id>:<service>:<random>`.
 */
export type State = string;
/**
 * The provider's error (RFC 6749, section 4.1.2.1).
 */
export type ProviderError = string;
/**
 * Id of the company; where it is given, `slug` does not count.
 */
export type CompanyId = number;
/**
 * Slug of the company.
 */
export type SlugQuery = string;
/**
 * Slug of the company. `health` and `history` are none.
 */
export type Slug = string;
/**
 * Id of an audit; only earlier ones are listed.
 */
export type Before = number;
/**
 * Number of audits wanted. A value above 100 is cut to 100; a value below 1, or one that is
 * not an integer, is refused.
 *
 */
export type Limit = number;
/**
 * Id of the company, or of the user. Anything but a positive integer is answered with 404.
 */
export type AdminId = number;
/**
 * What to look for; all are listed without it.
 */
export type Search = string;
/**
 * `next` of the page before.
 */
export type CompaniesAfter = string;
/**
 * `next` of the page before.
 */
export type UsersAfter = string;
/**
 * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
 * `.`; otherwise the service makes one.
 *
 */
export type RequestId = string;
export type LoginData = {
    /**
     * Address and password.
     */
    body: LoginRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/login';
};
export type LoginErrors = {
    /**
     * No JSON body, or a field is missing or of another type.
     */
    400: Error;
    /**
     * Unknown address, or wrong password.
     */
    401: Error;
    /**
     * The request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * Too many attempts, or too many passwords of all users are being checked.
     */
    429: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type LoginError = LoginErrors[keyof LoginErrors];
export type LoginResponses = {
    /**
     * Logged in; the cookie carries the session.
     */
    200: Me;
};
export type LoginResponse = LoginResponses[keyof LoginResponses];
export type LogoutData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/logout';
};
export type LogoutErrors = {
    /**
     * The request comes from a page of another site.
     */
    403: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type LogoutError = LogoutErrors[keyof LogoutErrors];
export type LogoutResponses = {
    /**
     * Nobody is logged in.
     */
    200: Done;
};
export type LogoutResponse = LogoutResponses[keyof LogoutResponses];
export type GetMeData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/me';
};
export type GetMeErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type GetMeError = GetMeErrors[keyof GetMeErrors];
export type GetMeResponses = {
    /**
     * The user.
     */
    200: Me;
};
export type GetMeResponse = GetMeResponses[keyof GetMeResponses];
export type HeadMeData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/me';
};
export type HeadMeErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadMeResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type ChangePasswordData = {
    /**
     * Both passwords.
     */
    body: PasswordRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/password';
};
export type ChangePasswordErrors = {
    /**
     * A wrong old password, or a new one that is not allowed.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * Too many attempts, or too many passwords of all users are being checked.
     */
    429: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type ChangePasswordError = ChangePasswordErrors[keyof ChangePasswordErrors];
export type ChangePasswordResponses = {
    /**
     * Changed; the cookie carries the new session.
     */
    200: Done;
};
export type ChangePasswordResponse = ChangePasswordResponses[keyof ChangePasswordResponses];
export type RequestResetData = {
    /**
     * The address.
     */
    body: ResetRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/reset';
};
export type RequestResetErrors = {
    /**
     * No JSON body, or a field is missing or of another type.
     */
    400: Error;
    /**
     * The request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * Too many attempts, or too many passwords of all users are being checked.
     */
    429: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
    /**
     * There is no mail server, or too many e-mails wait for it.
     */
    503: Error;
};
export type RequestResetError = RequestResetErrors[keyof RequestResetErrors];
export type RequestResetResponses = {
    /**
     * Taken.
     */
    200: Done;
};
export type RequestResetResponse = RequestResetResponses[keyof RequestResetResponses];
export type ConfirmResetData = {
    /**
     * Token and password.
     */
    body: ConfirmRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/reset/confirm';
};
export type ConfirmResetErrors = {
    /**
     * A link that cannot be used, or a password that is not allowed.
     */
    400: Error;
    /**
     * The request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * Too many attempts, or too many passwords of all users are being checked.
     */
    429: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type ConfirmResetError = ConfirmResetErrors[keyof ConfirmResetErrors];
export type ConfirmResetResponses = {
    /**
     * Set. After an invitation the cookie carries the session.
     */
    200: Done;
};
export type ConfirmResetResponse = ConfirmResetResponses[keyof ConfirmResetResponses];
export type ListSessionsData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/sessions';
};
export type ListSessionsErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type ListSessionsError = ListSessionsErrors[keyof ListSessionsErrors];
export type ListSessionsResponses = {
    /**
     * The sessions.
     */
    200: SessionsResponse;
};
export type ListSessionsResponse = ListSessionsResponses[keyof ListSessionsResponses];
export type HeadSessionsData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/sessions';
};
export type HeadSessionsErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadSessionsResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type EndSessionsData = {
    /**
     * Which one.
     */
    body: EndSessionsRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/sessions/end';
};
export type EndSessionsErrors = {
    /**
     * No JSON body, or a field is missing or of another type.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The request comes from a page of another site.
     */
    403: Error;
    /**
     * The user has no such session.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type EndSessionsError = EndSessionsErrors[keyof EndSessionsErrors];
export type EndSessionsResponses = {
    /**
     * Ended.
     */
    200: EndedResponse;
};
export type EndSessionsResponse = EndSessionsResponses[keyof EndSessionsResponses];
export type ChangeProfileData = {
    /**
     * The name.
     */
    body: ProfileRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/profile';
};
export type ChangeProfileErrors = {
    /**
     * No JSON body, or a field is missing or of another type.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type ChangeProfileError = ChangeProfileErrors[keyof ChangeProfileErrors];
export type ChangeProfileResponses = {
    /**
     * Changed.
     */
    200: Done;
};
export type ChangeProfileResponse = ChangeProfileResponses[keyof ChangeProfileResponses];
export type RequestEmailData = {
    /**
     * The address and the password.
     */
    body: EmailRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/email';
};
export type RequestEmailErrors = {
    /**
     * An address, a password or a link that is not accepted.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * Too many attempts, or too many passwords of all users are being checked.
     */
    429: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
    /**
     * There is no mail server, or too many e-mails wait for it.
     */
    503: Error;
};
export type RequestEmailError = RequestEmailErrors[keyof RequestEmailErrors];
export type RequestEmailResponses = {
    /**
     * Sent.
     */
    200: Done;
};
export type RequestEmailResponse = RequestEmailResponses[keyof RequestEmailResponses];
export type ConfirmEmailData = {
    /**
     * The token.
     */
    body: EmailConfirmation;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/auth/email/confirm';
};
export type ConfirmEmailErrors = {
    /**
     * An address, a password or a link that is not accepted.
     */
    400: Error;
    /**
     * The request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type ConfirmEmailError = ConfirmEmailErrors[keyof ConfirmEmailErrors];
export type ConfirmEmailResponses = {
    /**
     * Changed.
     */
    200: Done;
};
export type ConfirmEmailResponse = ConfirmEmailResponses[keyof ConfirmEmailResponses];
export type ListColleaguesData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/company/users';
};
export type ListColleaguesErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user may not do this to the people of a company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type ListColleaguesError = ListColleaguesErrors[keyof ListColleaguesErrors];
export type ListColleaguesResponses = {
    /**
     * The people.
     */
    200: ColleaguesResponse;
};
export type ListColleaguesResponse = ListColleaguesResponses[keyof ListColleaguesResponses];
export type HeadColleaguesData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/company/users';
};
export type HeadColleaguesErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadColleaguesResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type InviteColleagueData = {
    /**
     * The person.
     */
    body: ColleagueRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/company/users';
};
export type InviteColleagueErrors = {
    /**
     * A field is missing or not allowed, or the change would leave no administrator.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user may not do this to the people of a company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such company.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type InviteColleagueError = InviteColleagueErrors[keyof InviteColleagueErrors];
export type InviteColleagueResponses = {
    /**
     * Added and invited.
     */
    200: InvitedResponse;
};
export type InviteColleagueResponse = InviteColleagueResponses[keyof InviteColleagueResponses];
export type RemoveColleagueData = {
    body?: never;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/company/users/{id}/remove';
};
export type RemoveColleagueErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user may not do this to the people of a company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such user.
     */
    404: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type RemoveColleagueError = RemoveColleagueErrors[keyof RemoveColleagueErrors];
export type RemoveColleagueResponses = {
    /**
     * Taken out.
     */
    200: Done;
};
export type RemoveColleagueResponse = RemoveColleagueResponses[keyof RemoveColleagueResponses];
export type ListCompaniesData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: {
        /**
         * What to look for; all are listed without it.
         */
        search?: string;
        /**
         * `next` of the page before.
         */
        after?: string;
    };
    url: '/api/admin/companies';
};
export type ListCompaniesErrors = {
    /**
     * `after` is not the `next` of a page.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type ListCompaniesError = ListCompaniesErrors[keyof ListCompaniesErrors];
export type ListCompaniesResponses = {
    /**
     * The companies.
     */
    200: CompaniesResponse;
};
export type ListCompaniesResponse = ListCompaniesResponses[keyof ListCompaniesResponses];
export type HeadCompaniesData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: {
        /**
         * What to look for; all are listed without it.
         */
        search?: string;
        /**
         * `next` of the page before.
         */
        after?: string;
    };
    url: '/api/admin/companies';
};
export type HeadCompaniesErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadCompaniesResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type AddCompanyData = {
    /**
     * The company.
     */
    body: AddCompanyRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/admin/companies';
};
export type AddCompanyErrors = {
    /**
     * A field is missing or not allowed, or the slug is taken.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type AddCompanyError = AddCompanyErrors[keyof AddCompanyErrors];
export type AddCompanyResponses = {
    /**
     * Added.
     */
    200: CompanyResponse;
};
export type AddCompanyResponse = AddCompanyResponses[keyof AddCompanyResponses];
export type GetCompanyData = {
    body?: never;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/companies/{id}';
};
export type GetCompanyErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such company.
     */
    404: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type GetCompanyError = GetCompanyErrors[keyof GetCompanyErrors];
export type GetCompanyResponses = {
    /**
     * The company.
     */
    200: CompanyResponse;
};
export type GetCompanyResponse = GetCompanyResponses[keyof GetCompanyResponses];
export type HeadCompanyData = {
    body?: never;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/companies/{id}';
};
export type HeadCompanyErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadCompanyResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type EditCompanyData = {
    /**
     * The fields to change.
     */
    body: CompanyChange;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/companies/{id}';
};
export type EditCompanyErrors = {
    /**
     * A field is missing or not allowed, or the slug is taken.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such company.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type EditCompanyError = EditCompanyErrors[keyof EditCompanyErrors];
export type EditCompanyResponses = {
    /**
     * Changed; the company as it is now.
     */
    200: CompanyResponse;
};
export type EditCompanyResponse = EditCompanyResponses[keyof EditCompanyResponses];
export type ListUsersData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: {
        /**
         * What to look for; all are listed without it.
         */
        search?: string;
        /**
         * `next` of the page before.
         */
        after?: string;
    };
    url: '/api/admin/users';
};
export type ListUsersErrors = {
    /**
     * `after` is not the `next` of a page.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type ListUsersError = ListUsersErrors[keyof ListUsersErrors];
export type ListUsersResponses = {
    /**
     * The users.
     */
    200: UsersResponse;
};
export type ListUsersResponse = ListUsersResponses[keyof ListUsersResponses];
export type HeadUsersData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: {
        /**
         * What to look for; all are listed without it.
         */
        search?: string;
        /**
         * `next` of the page before.
         */
        after?: string;
    };
    url: '/api/admin/users';
};
export type HeadUsersErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadUsersResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type InviteUserData = {
    /**
     * The person.
     */
    body: InviteRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/admin/users';
};
export type InviteUserErrors = {
    /**
     * A field is missing or not allowed, or the change would leave no administrator.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such company.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type InviteUserError = InviteUserErrors[keyof InviteUserErrors];
export type InviteUserResponses = {
    /**
     * Added and invited.
     */
    200: InvitedResponse;
};
export type InviteUserResponse = InviteUserResponses[keyof InviteUserResponses];
export type GetUserData = {
    body?: never;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/users/{id}';
};
export type GetUserErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such user.
     */
    404: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type GetUserError = GetUserErrors[keyof GetUserErrors];
export type GetUserResponses = {
    /**
     * The user.
     */
    200: UserResponse;
};
export type GetUserResponse = GetUserResponses[keyof GetUserResponses];
export type HeadUserData = {
    body?: never;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/users/{id}';
};
export type HeadUserErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadUserResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type EditUserData = {
    /**
     * The fields to change.
     */
    body: UserChange;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/users/{id}';
};
export type EditUserErrors = {
    /**
     * A field is missing or not allowed, or the change would leave no administrator.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such user.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type EditUserError = EditUserErrors[keyof EditUserErrors];
export type EditUserResponses = {
    /**
     * Changed; the user as it is now.
     */
    200: UserResponse;
};
export type EditUserResponse = EditUserResponses[keyof EditUserResponses];
export type DeleteUserData = {
    body?: never;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/users/{id}/delete';
};
export type DeleteUserErrors = {
    /**
     * The last administrator cannot be deleted.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such user.
     */
    404: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
    /**
     * Erasing is not set up, or the user is connecting an account at this moment.
     */
    503: Error;
};
export type DeleteUserError = DeleteUserErrors[keyof DeleteUserErrors];
export type DeleteUserResponses = {
    /**
     * Deleted.
     */
    200: Done;
};
export type DeleteUserResponse = DeleteUserResponses[keyof DeleteUserResponses];
export type MakeResetLinkData = {
    body?: never;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/users/{id}/reset-link';
};
export type MakeResetLinkErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such user.
     */
    404: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type MakeResetLinkError = MakeResetLinkErrors[keyof MakeResetLinkErrors];
export type MakeResetLinkResponses = {
    /**
     * Made.
     */
    200: LinkResponse;
};
export type MakeResetLinkResponse = MakeResetLinkResponses[keyof MakeResetLinkResponses];
export type ListUserSessionsData = {
    body?: never;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/users/{id}/sessions';
};
export type ListUserSessionsErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such user.
     */
    404: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type ListUserSessionsError = ListUserSessionsErrors[keyof ListUserSessionsErrors];
export type ListUserSessionsResponses = {
    /**
     * The sessions.
     */
    200: SessionsResponse;
};
export type ListUserSessionsResponse = ListUserSessionsResponses[keyof ListUserSessionsResponses];
export type HeadUserSessionsData = {
    body?: never;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/users/{id}/sessions';
};
export type HeadUserSessionsErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadUserSessionsResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type EndUserSessionsData = {
    /**
     * Which one.
     */
    body: EndSessionsRequest;
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
         * Id of the company, or of the user. Anything but a positive integer is answered with 404.
         */
        id: number;
    };
    query?: never;
    url: '/api/admin/users/{id}/sessions/end';
};
export type EndUserSessionsErrors = {
    /**
     * No JSON body, or a field is missing or of another type.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user is no administrator, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no such user, or the user has no such session.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type EndUserSessionsError = EndUserSessionsErrors[keyof EndUserSessionsErrors];
export type EndUserSessionsResponses = {
    /**
     * Ended.
     */
    200: EndedResponse;
};
export type EndUserSessionsResponse = EndUserSessionsResponses[keyof EndUserSessionsResponses];
export type ConnectData = {
    body?: never;
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
         * An OAuth 2.0 provider.
         */
        provider: Provider;
        /**
         * A service of that provider: `search_profile` and `search_analytics` of `provider_search`,
         * `social_pages` and `social_photos` of `provider_social`.
         *
         */
        service: Service;
    };
    query?: never;
    url: '/api/oauth/connect/{provider}/{service}';
};
export type ConnectErrors = {
    /**
     * The provider has no such service.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user has no company or may not edit it, or the request comes from a page of another site.
     *
     */
    403: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
    /**
     * The provider is not set up in this service.
     */
    503: Error;
};
export type ConnectError = ConnectErrors[keyof ConnectErrors];
export type ConnectResponses = {
    /**
     * Where the browser goes.
     */
    200: Authorization;
};
export type ConnectResponse = ConnectResponses[keyof ConnectResponses];
export type CallbackData = {
    body?: never;
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
         * The provider that sends the browser. An unknown one is answered with `invalid_state`.
         */
        provider: string;
    };
    query?: {
        /**
         * The authorization code (RFC 6749, section 4.1.2).
         */
        code?: string;
        /**
         * The state that connect made: `<company_id>:<user_id>:<service>:<random>`.
         */
        state?: string;
        /**
         * The provider's error (RFC 6749, section 4.1.2.1).
         */
        error?: string;
    };
    url: '/api/oauth/callback/{provider}';
};
export type CallbackErrors = {
    /**
     * The browser asked ahead of its user; nothing is taken.
     */
    503: Error;
};
export type CallbackError = CallbackErrors[keyof CallbackErrors];
export type HeadCallbackData = {
    body?: never;
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
         * The provider that sends the browser. An unknown one is answered with `invalid_state`.
         */
        provider: string;
    };
    query?: {
        /**
         * The authorization code (RFC 6749, section 4.1.2).
         */
        code?: string;
        /**
         * The state that connect made: `<company_id>:<user_id>:<service>:<random>`.
         */
        state?: string;
        /**
         * The provider's error (RFC 6749, section 4.1.2.1).
         */
        error?: string;
    };
    url: '/api/oauth/callback/{provider}';
};
export type GetStatusData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/status';
};
export type GetStatusErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type GetStatusError = GetStatusErrors[keyof GetStatusErrors];
export type GetStatusResponses = {
    /**
     * State of each service.
     */
    200: StatusResponse;
};
export type GetStatusResponse = GetStatusResponses[keyof GetStatusResponses];
export type HeadStatusData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/status';
};
export type HeadStatusErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadStatusResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type DisconnectData = {
    body?: never;
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
         * An OAuth 2.0 provider.
         */
        provider: Provider;
        /**
         * A service of that provider, also one that is no longer offered, if it is stored.
         */
        service: string;
    };
    query?: never;
    url: '/api/oauth/disconnect/{provider}/{service}';
};
export type DisconnectErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user has no company or may not edit it, or the request comes from a page of another site.
     *
     */
    403: Error;
    /**
     * The company has no connection of that kind.
     */
    404: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
};
export type DisconnectError = DisconnectErrors[keyof DisconnectErrors];
export type DisconnectResponses = {
    /**
     * Disconnected.
     */
    200: Done;
};
export type DisconnectResponse = DisconnectResponses[keyof DisconnectResponses];
export type DiscoverLocationsData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_search/discover-locations';
};
export type DiscoverLocationsErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user has no company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * The company has no connection of that kind.
     */
    404: Error;
    /**
     * The lists were requested too often for this company in the last 10 minutes, 10 times unless
     * set otherwise, or the requests of all companies to the provider have used up their budget.
     *
     */
    429: Error;
    /**
     * The provider failed, which the text explains, or the service itself.
     */
    500: Error;
    /**
     * The profile-management component is not available.
     */
    503: Error;
};
export type DiscoverLocationsError = DiscoverLocationsErrors[keyof DiscoverLocationsErrors];
export type DiscoverLocationsResponses = {
    /**
     * The locations.
     */
    200: LocationsResponse;
};
export type DiscoverLocationsResponse = DiscoverLocationsResponses[keyof DiscoverLocationsResponses];
export type SelectLocationData = {
    /**
     * The location.
     */
    body: SelectLocationRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_search/select-location';
};
export type SelectLocationErrors = {
    /**
     * No JSON body, or a field is missing or of another type.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user has no company or may not edit it, or the request comes from a page of another site.
     *
     */
    403: Error;
    /**
     * The company has no active connection, or it does not list the location.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The lists were requested too often for this company in the last 10 minutes, 10 times unless
     * set otherwise, or the requests of all companies to the provider have used up their budget.
     *
     */
    429: Error;
    /**
     * The provider failed, which the text explains, or the service itself.
     */
    500: Error;
    /**
     * The profile-management component is not available.
     */
    503: Error;
};
export type SelectLocationError = SelectLocationErrors[keyof SelectLocationErrors];
export type SelectLocationResponses = {
    /**
     * Chosen.
     */
    200: SelectedLocation;
};
export type SelectLocationResponse = SelectLocationResponses[keyof SelectLocationResponses];
export type DiscoverPropertiesData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_search/discover-properties';
};
export type DiscoverPropertiesErrors = {
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user has no company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * The company has no connection of that kind.
     */
    404: Error;
    /**
     * The lists were requested too often for this company in the last 10 minutes, 10 times unless
     * set otherwise, or the requests of all companies to the provider have used up their budget.
     *
     */
    429: Error;
    /**
     * The provider failed, which the text explains, or the service itself.
     */
    500: Error;
};
export type DiscoverPropertiesError = DiscoverPropertiesErrors[keyof DiscoverPropertiesErrors];
export type DiscoverPropertiesResponses = {
    /**
     * The properties.
     */
    200: PropertiesResponse;
};
export type DiscoverPropertiesResponse = DiscoverPropertiesResponses[keyof DiscoverPropertiesResponses];
export type SelectPropertyData = {
    /**
     * The property.
     */
    body: SelectPropertyRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_search/select-property';
};
export type SelectPropertyErrors = {
    /**
     * No JSON body, or a field is missing or of another type.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user has no company or may not edit it, or the request comes from a page of another site.
     *
     */
    403: Error;
    /**
     * The company has no active connection, or its account may not read the property.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The lists were requested too often for this company in the last 10 minutes, 10 times unless
     * set otherwise, or the requests of all companies to the provider have used up their budget.
     *
     */
    429: Error;
    /**
     * The provider failed, which the text explains, or the service itself.
     */
    500: Error;
};
export type SelectPropertyError = SelectPropertyErrors[keyof SelectPropertyErrors];
export type SelectPropertyResponses = {
    /**
     * Chosen.
     */
    200: Done;
};
export type SelectPropertyResponse = SelectPropertyResponses[keyof SelectPropertyResponses];
export type DiscoverPagesData = {
    /**
     * The company, as JSON or as a form field.
     */
    body: CompanyRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_social/discover-pages';
};
export type DiscoverPagesErrors = {
    /**
     * No JSON body, or a field is missing or of another type.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user may not edit the company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * The company has no connection of that kind.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The lists were requested too often for this company in the last 10 minutes, 10 times unless
     * set otherwise, or the requests of all companies to the provider have used up their budget.
     *
     */
    429: Error;
    /**
     * The provider failed, which the text explains, or the service itself.
     */
    500: Error;
};
export type DiscoverPagesError = DiscoverPagesErrors[keyof DiscoverPagesErrors];
export type DiscoverPagesResponses = {
    /**
     * The pages.
     */
    200: PagesResponse;
};
export type DiscoverPagesResponse = DiscoverPagesResponses[keyof DiscoverPagesResponses];
export type SelectPageData = {
    /**
     * The company and the page.
     */
    body: SelectPageRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_social/select-page';
};
export type SelectPageErrors = {
    /**
     * No JSON body, a field is missing, or the page gives no credential.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user may not edit the company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * The company has no active connection, or its user does not manage the page.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The lists were requested too often for this company in the last 10 minutes, 10 times unless
     * set otherwise, or the requests of all companies to the provider have used up their budget.
     *
     */
    429: Error;
    /**
     * The provider failed, which the text explains, or the service itself.
     */
    500: Error;
};
export type SelectPageError = SelectPageErrors[keyof SelectPageErrors];
export type SelectPageResponses = {
    /**
     * Chosen.
     */
    200: SelectedPage;
};
export type SelectPageResponse = SelectPageResponses[keyof SelectPageResponses];
export type SyncPageData = {
    /**
     * The company.
     */
    body: CompanyRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_social/sync-facebook';
};
export type SyncPageErrors = {
    /**
     * The request is refused, or the sync result is a failure.
     */
    400: SyncFailure;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user may not edit the company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The company was synced too often in the last 10 minutes, 12 times unless set otherwise
     * (`too_much_work`; the scan, and the sync of select-page, do not count), or the requests of
     * all companies to the provider have used up their budget (`provider_throttled`).
     *
     */
    429: SyncFailure;
    /**
     * A failure of the service itself.
     */
    500: SyncFailure;
};
export type SyncPageError = SyncPageErrors[keyof SyncPageErrors];
export type SyncPageResponses = {
    /**
     * The sync result.
     */
    200: PageSyncResult;
};
export type SyncPageResponse = SyncPageResponses[keyof SyncPageResponses];
export type SyncPhotosData = {
    /**
     * The company.
     */
    body: CompanyRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_social/sync-instagram';
};
export type SyncPhotosErrors = {
    /**
     * The request is refused, or the sync result is a failure.
     */
    400: SyncFailure;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user may not edit the company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The company was synced too often in the last 10 minutes, 12 times unless set otherwise
     * (`too_much_work`; the scan, and the sync of select-page, do not count), or the requests of
     * all companies to the provider have used up their budget (`provider_throttled`).
     *
     */
    429: SyncFailure;
    /**
     * A failure of the service itself.
     */
    500: SyncFailure;
};
export type SyncPhotosError = SyncPhotosErrors[keyof SyncPhotosErrors];
export type SyncPhotosResponses = {
    /**
     * The sync result.
     */
    200: PhotoSyncResult;
};
export type SyncPhotosResponse = SyncPhotosResponses[keyof SyncPhotosResponses];
export type DeauthorizeData = {
    /**
     * The provider's signed request.
     */
    body: SignedRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_social/deauthorize';
};
export type DeauthorizeErrors = {
    /**
     * No form, no `signed_request`, or a signature or a payload that is not the provider's.
     */
    400: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The provider asked too often for this person in the last hour.
     */
    429: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
    /**
     * The provider is not set up in this service.
     */
    503: Error;
};
export type DeauthorizeError = DeauthorizeErrors[keyof DeauthorizeErrors];
export type DeauthorizeResponses = {
    /**
     * Done, also when nobody is known by that name.
     */
    200: unknown;
};
export type DeleteDataData = {
    /**
     * The provider's signed request.
     */
    body: SignedRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_social/data-deletion';
};
export type DeleteDataErrors = {
    /**
     * No form, no `signed_request`, or a signature or a payload that is not the provider's.
     */
    400: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The provider asked too often for this person in the last hour.
     */
    429: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
    /**
     * The provider is not set up in this service.
     */
    503: Error;
};
export type DeleteDataError = DeleteDataErrors[keyof DeleteDataErrors];
export type DeleteDataResponses = {
    /**
     * Deleted.
     */
    200: DataDeletion;
};
export type DeleteDataResponse = DeleteDataResponses[keyof DeleteDataResponses];
export type SyncAnalyticsData = {
    /**
     * The company.
     */
    body: CompanyRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_search/sync-analytics';
};
export type SyncAnalyticsErrors = {
    /**
     * The request is refused, or the sync result is a failure.
     */
    400: SyncFailure;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user may not edit the company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The company was synced too often in the last 10 minutes, 12 times unless set otherwise
     * (`too_much_work`; the scan, and the sync of select-page, do not count), or the requests of
     * all companies to the provider have used up their budget (`provider_throttled`).
     *
     */
    429: SyncFailure;
    /**
     * A failure of the service itself.
     */
    500: SyncFailure;
};
export type SyncAnalyticsError = SyncAnalyticsErrors[keyof SyncAnalyticsErrors];
export type SyncAnalyticsResponses = {
    /**
     * The sync result.
     */
    200: SearchSyncResult;
};
export type SyncAnalyticsResponse = SyncAnalyticsResponses[keyof SyncAnalyticsResponses];
export type SyncPerformanceData = {
    /**
     * The company.
     */
    body: CompanyRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/oauth/provider_search/sync-performance';
};
export type SyncPerformanceErrors = {
    /**
     * The request is refused, or the sync result is a failure.
     */
    400: SyncFailure;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user may not edit the company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The company was synced too often in the last 10 minutes, 12 times unless set otherwise
     * (`too_much_work`; the scan, and the sync of select-page, do not count), or the requests of
     * all companies to the provider have used up their budget (`provider_throttled`).
     *
     */
    429: SyncFailure;
    /**
     * A failure of the service itself.
     */
    500: SyncFailure;
};
export type SyncPerformanceError = SyncPerformanceErrors[keyof SyncPerformanceErrors];
export type SyncPerformanceResponses = {
    /**
     * The sync result.
     */
    200: PerformanceSyncResult;
};
export type SyncPerformanceResponse = SyncPerformanceResponses[keyof SyncPerformanceResponses];
export type GetAuditHealthData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/bizprofile/audit/health';
};
export type GetAuditHealthErrors = {
    /**
     * Not available.
     */
    503: Unhealthy;
};
export type GetAuditHealthError = GetAuditHealthErrors[keyof GetAuditHealthErrors];
export type GetAuditHealthResponses = {
    /**
     * Available.
     */
    200: Healthy;
};
export type GetAuditHealthResponse = GetAuditHealthResponses[keyof GetAuditHealthResponses];
export type HeadAuditHealthData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/bizprofile/audit/health';
};
export type HeadAuditHealthErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadAuditHealthResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type GetAuditData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
        /**
         * `ETag` of an earlier answer; while it is current the answer is 304 (RFC 9110, section 13.1.2).
         */
        'If-None-Match'?: string;
    };
    path?: never;
    query?: {
        /**
         * Id of the company; where it is given, `slug` does not count.
         */
        company_id?: number;
        /**
         * Slug of the company.
         */
        slug?: string;
    };
    url: '/api/bizprofile/audit';
};
export type GetAuditErrors = {
    /**
     * Neither parameter, or a company_id that is no id.
     */
    400: Error;
    /**
     * There is no active company of that id or slug, or it has no audit yet.
     */
    404: CompanyError;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
    /**
     * The database does not answer.
     */
    503: Error;
};
export type GetAuditError = GetAuditErrors[keyof GetAuditErrors];
export type GetAuditResponses = {
    /**
     * The audit.
     */
    200: AuditResponse;
};
export type GetAuditResponse = GetAuditResponses[keyof GetAuditResponses];
export type HeadAuditData = {
    body?: never;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
        /**
         * `ETag` of an earlier answer; while it is current the answer is 304 (RFC 9110, section 13.1.2).
         */
        'If-None-Match'?: string;
    };
    path?: never;
    query?: {
        /**
         * Id of the company; where it is given, `slug` does not count.
         */
        company_id?: number;
        /**
         * Slug of the company.
         */
        slug?: string;
    };
    url: '/api/bizprofile/audit';
};
export type HeadAuditErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadAuditResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type RunAuditData = {
    /**
     * The company and how to audit it.
     */
    body: AuditRequest;
    headers?: {
        /**
         * Id of the caller's own. It is taken over when it has 1 to 64 letters, digits, `-`, `_` or
         * `.`; otherwise the service makes one.
         *
         */
        'X-Request-Id'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/bizprofile/audit';
};
export type RunAuditErrors = {
    /**
     * No JSON body, no company named, or a profile that cannot be audited.
     */
    400: Error;
    /**
     * There is no session, or it has ended.
     */
    401: Error;
    /**
     * The user may not edit the company, or the request comes from a page of another site.
     */
    403: Error;
    /**
     * There is no active company of that id or slug.
     */
    404: Error;
    /**
     * The body has more than 64 KiB.
     */
    413: Error;
    /**
     * The user made 20 audits in the last 60 minutes.
     */
    429: Error;
    /**
     * Another failure; with the company as soon as it is known.
     */
    500: CompanyError;
    /**
     * The database does not answer.
     */
    503: Error;
};
export type RunAuditError = RunAuditErrors[keyof RunAuditErrors];
export type RunAuditResponses = {
    /**
     * The audit.
     */
    200: AuditRunResponse;
};
export type RunAuditResponse = RunAuditResponses[keyof RunAuditResponses];
export type GetAuditBySlugData = {
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
         * Slug of the company. `health` and `history` are none.
         */
        slug: string;
    };
    query?: never;
    url: '/api/bizprofile/audit/{slug}';
};
export type GetAuditBySlugErrors = {
    /**
     * There is no active company of that id or slug, or it has no audit yet.
     */
    404: CompanyError;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
    /**
     * The database does not answer.
     */
    503: Error;
};
export type GetAuditBySlugError = GetAuditBySlugErrors[keyof GetAuditBySlugErrors];
export type GetAuditBySlugResponses = {
    /**
     * The audit.
     */
    200: ShortAuditResponse;
};
export type GetAuditBySlugResponse = GetAuditBySlugResponses[keyof GetAuditBySlugResponses];
export type HeadAuditBySlugData = {
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
         * Slug of the company. `health` and `history` are none.
         */
        slug: string;
    };
    query?: never;
    url: '/api/bizprofile/audit/{slug}';
};
export type HeadAuditBySlugErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadAuditBySlugResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
export type GetAuditHistoryData = {
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
         * Slug of the company. `health` and `history` are none.
         */
        slug: string;
    };
    query?: {
        /**
         * Id of an audit; only earlier ones are listed.
         */
        before?: number;
        /**
         * Number of audits wanted. A value above 100 is cut to 100; a value below 1, or one that is
         * not an integer, is refused.
         *
         */
        limit?: number;
    };
    url: '/api/bizprofile/audit/{slug}/history';
};
export type GetAuditHistoryErrors = {
    /**
     * A parameter is not a positive integer.
     */
    400: Error;
    /**
     * There is no active company of that id or slug.
     */
    404: Error;
    /**
     * A failure of the service itself; its cause is in the log only.
     */
    500: Error;
    /**
     * The database does not answer.
     */
    503: Error;
};
export type GetAuditHistoryError = GetAuditHistoryErrors[keyof GetAuditHistoryErrors];
export type GetAuditHistoryResponses = {
    /**
     * A page of audits, empty when there are none.
     */
    200: HistoryResponse;
};
export type GetAuditHistoryResponse = GetAuditHistoryResponses[keyof GetAuditHistoryResponses];
export type HeadAuditHistoryData = {
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
         * Slug of the company. `health` and `history` are none.
         */
        slug: string;
    };
    query?: {
        /**
         * Id of an audit; only earlier ones are listed.
         */
        before?: number;
        /**
         * Number of audits wanted. A value above 100 is cut to 100; a value below 1, or one that is
         * not an integer, is refused.
         *
         */
        limit?: number;
    };
    url: '/api/bizprofile/audit/{slug}/history';
};
export type HeadAuditHistoryErrors = {
    /**
     * The failure that `GET` would be answered with; its status and headers, no body.
     */
    default: unknown;
};
export type HeadAuditHistoryResponses = {
    /**
     * The headers of the answer to `GET`; no body.
     */
    200: unknown;
};
