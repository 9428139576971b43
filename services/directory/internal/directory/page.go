package directory

import "time"

// Page is a social page that a user manages.
type Page struct {
	ID          string
	Name        string
	Category    string
	FanCount    int
	AccessToken string // the page's own; empty when the user may not act for it
}

// PlatformPages is the platform value of a page's configuration.
const PlatformPages = string(SocialPages)

// SocialConfig is the social media configuration that publishing works with,
// one for each (platform, company).
type SocialConfig struct {
	Platform    string
	CompanyID   int64
	PageID      string
	PageName    string
	AccessToken string // the page's, for publishing
	Active      bool
	DebugMode   bool
	UpdatedBy   int64 // user id
	UpdatedAt   time.Time
}

// PageData is the result of a page sync.
type PageData struct {
	FanCount       int            `json:"fan_count"`
	FollowersCount int            `json:"followers_count"`
	Name           string         `json:"name"`
	Category       string         `json:"category"`
	Link           string         `json:"link"`
	Metrics        map[string]any `json:"metrics"`     // metric name → its latest value, a number or an object of numbers
	Unavailable    []string       `json:"unavailable"` // metrics that the provider no longer knows
	SyncedAt       time.Time      `json:"synced_at"`
}

// PhotoData is the result of a photo-network sync.
type PhotoData struct {
	Profile     PhotoProfile   `json:"profile"`
	Media       []Medium       `json:"media"` // the newest 25 at most
	Engagement  Engagement     `json:"engagement"`
	Insights    map[string]any `json:"insights"`
	Unavailable []string       `json:"unavailable"`
	SyncedAt    time.Time      `json:"synced_at"`
}

// PhotoProfile describes a photo-network account.
type PhotoProfile struct {
	ID                string `json:"id"`
	Username          string `json:"username"`
	Name              string `json:"name"`
	Biography         string `json:"biography"`
	Website           string `json:"website"`
	ProfilePictureURL string `json:"profile_picture_url"`
	FollowersCount    int    `json:"followers_count"`
	FollowsCount      int    `json:"follows_count"`
	MediaCount        int    `json:"media_count"`
}

// Medium is one post of a photo-network account.
type Medium struct {
	ID            string    `json:"id"`
	Caption       string    `json:"caption"`
	MediaType     string    `json:"media_type"`
	Permalink     string    `json:"permalink"`
	Timestamp     time.Time `json:"timestamp"`
	LikeCount     *int      `json:"like_count"` // nil: hidden by the owner
	CommentsCount int       `json:"comments_count"`
}

// Engagement sums the media of a sync; Rate is (likes + comments) per medium and
// follower, in percent.
type Engagement struct {
	Likes    int     `json:"likes"`
	Comments int     `json:"comments"`
	Rate     float64 `json:"rate"`
}

// Statistics is one dated reading of a page or a photo-network account.
type Statistics struct {
	CompanyID int64
	Service   Service // SocialPages or SocialPhotos
	AccountID string  // of the page or the photo-network account
	Followers int
	Data      []byte // the whole reading as JSON
	SyncedAt  time.Time
}
