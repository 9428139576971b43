package directory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"backend.example/services/internal/kit/fault"
)

// PageData is the result of a page sync.
type PageData struct {
	FanCount       int
	FollowersCount int
	Name           string
	Category       string
	Link           string
	Metrics        map[string]any // metric name → its latest value, a float64 or a map[string]any of them
	Unavailable    []string       // metrics that the provider no longer knows
	Reading        MetricsReading // of Metrics
	Missed         Missed         // what the provider did not give this time; kept nowhere
	SyncedAt       time.Time
}

// PhotoData is the result of a photo-network sync.
type PhotoData struct {
	Profile     PhotoProfile
	Media       []Medium // the newest 25 at most
	Engagement  Engagement
	Insights    map[string]any // as PageData.Metrics, and the next three as there
	Unavailable []string
	Reading     MetricsReading
	Missed      Missed
	SyncedAt    time.Time
}

// PhotoProfile describes a photo-network account.
type PhotoProfile struct {
	ID                string
	Username          string
	Name              string
	Biography         string
	Website           string
	ProfilePictureURL string
	FollowersCount    int
	FollowsCount      int
	MediaCount        int
}

// Medium is one post of a photo-network account.
type Medium struct {
	ID            string
	Caption       string
	MediaType     string
	Permalink     string
	Timestamp     time.Time
	LikeCount     *int // nil: hidden by the owner
	CommentsCount int
}

// Engagement sums the media of a sync; Rate is (likes + comments) per medium and
// follower, in percent.
type Engagement struct {
	Likes    int
	Comments int
	Rate     float64
}

// Statistics is one dated reading of a page, a photo-network account or a site.
type Statistics struct {
	CompanyID int64
	Service   Service     // SocialPages, SocialPhotos or SearchAnalytics
	AccountID string      // of the page or the photo-network account; the site
	Followers int         // the figure over time; of a site the clicks
	Page      *PageData   // the whole reading, of SocialPages alone
	Photos    *PhotoData  // the same of SocialPhotos
	Search    *SearchData // and of SearchAnalytics
	SyncedAt  time.Time
	FailedAt  time.Time // of the last sync that failed since; zero: none did
}

// Followers is the figure over time at one moment: how many an account had, or the
// clicks of a site.
type Followers struct {
	At    time.Time
	Count int
}

// historyLength is how many readings a history goes back.
const historyLength = 90

// StatisticsStore keeps readings. It is an interface because a database is outside
// of the domain.
type StatisticsStore interface {
	SaveStatistics(ctx context.Context, s Statistics) error
	// NoteFailedSync keeps when a sync failed, where an earlier one did not.
	NoteFailedSync(ctx context.Context, companyID int64, service Service, at time.Time) error
	// LatestStatistics is the current reading, or the fault no_statistics.
	LatestStatistics(ctx context.Context, companyID int64, service Service) (Statistics, error)
	// StatisticsHistory lists the n newest readings, newest first, without their data.
	StatisticsHistory(ctx context.Context, companyID int64, service Service, n int) ([]Statistics, error)
}

// SyncPage refreshes the statistics of the company's chosen page.
func (p *Pages) SyncPage(ctx context.Context, companyID int64) (PageData, error) {
	c, err := p.chosenToSync(ctx, companyID, SocialPages)
	if err != nil {
		return PageData{}, err
	}
	return p.syncPage(ctx, c)
}

func (p *Pages) syncPage(ctx context.Context, c Connection) (PageData, error) {
	read := p.oauth.providers[ProviderSocial].ReadPage
	if read == nil {
		return PageData{}, cannot(ProviderSocial, "read pages")
	}
	data, err := use(ctx, p.oauth, c, read)
	p.oauth.noteDenial(ctx, c, SocialPages, cmp.Or(err, data.Missed.Err))
	if err != nil {
		p.oauth.noteFailure(ctx, p.store, c.CompanyID, SocialPages, err)
		return PageData{}, err
	}
	before, err := p.before(ctx, c.CompanyID, SocialPages, c.AccountID, data.Missed)
	if err != nil {
		return PageData{}, err
	}
	metrics := metricsOf{figures: data.Metrics, unavailable: data.Unavailable}
	metrics.keep(data.Missed, before)
	data.Metrics, data.Unavailable, data.Reading = metrics.figures, metrics.unavailable, metrics.reading
	data.SyncedAt = p.oauth.now()
	return data, p.store.SaveStatistics(ctx, Statistics{
		CompanyID: c.CompanyID, Service: SocialPages, AccountID: c.AccountID, Followers: data.FollowersCount,
		Page: &data, SyncedAt: data.SyncedAt,
	})
}

// SyncPhotos refreshes the statistics of the photo-network account that is
// linked to the company's chosen page.
func (p *Pages) SyncPhotos(ctx context.Context, companyID int64) (PhotoData, error) {
	c, err := p.chosenToSync(ctx, companyID, SocialPhotos)
	if err != nil {
		return PhotoData{}, err
	}
	return p.syncPhotos(ctx, c)
}

func (p *Pages) syncPhotos(ctx context.Context, c Connection) (PhotoData, error) {
	read := p.oauth.providers[ProviderSocial].ReadPhotos
	if read == nil {
		return PhotoData{}, cannot(ProviderSocial, "read photos")
	}
	data, err := use(ctx, p.oauth, c, read)
	p.oauth.noteDenial(ctx, c, SocialPhotos, cmp.Or(err, data.Missed.Err))
	if err != nil {
		p.oauth.noteFailure(ctx, p.store, c.CompanyID, SocialPhotos, err)
		return PhotoData{}, err
	}
	before, err := p.before(ctx, c.CompanyID, SocialPhotos, data.Profile.ID, data.Missed)
	if err != nil {
		return PhotoData{}, err
	}
	metrics := metricsOf{figures: data.Insights, unavailable: data.Unavailable}
	metrics.keep(data.Missed, before)
	data.Insights, data.Unavailable, data.Reading = metrics.figures, metrics.unavailable, metrics.reading
	data.SyncedAt = p.oauth.now()
	return data, p.store.SaveStatistics(ctx, Statistics{
		CompanyID: c.CompanyID, Service: SocialPhotos, AccountID: data.Profile.ID, Followers: data.Profile.FollowersCount,
		Photos: &data, SyncedAt: data.SyncedAt,
	})
}

// noteFailure keeps when a sync failed, unless the user has to act, which the status
// says, or there was nothing to read.
func (o *OAuth) noteFailure(ctx context.Context, store StatisticsStore, companyID int64, s Service, err error) {
	switch fault.From(err).Code {
	case CodeTemporary.Name, CodeThrottled.Name, CodeOperator.Name, CodeChanged.Name:
	default:
		return
	}
	if err := store.NoteFailedSync(ctx, companyID, s, o.now()); err != nil {
		o.log.WarnContext(ctx, "failed sync not noted", "company", companyID, "service", string(s), "error", err)
	}
}

// rescanPage and rescanPhotos are the syncs of the scan, which reads what is chosen
// now. What was missed is an error there, although the rest is kept.
func (p *Pages) rescanPage(ctx context.Context, companyID int64) error {
	c, err := p.chosen(ctx, companyID)
	if err != nil {
		return err
	}
	data, err := p.syncPage(ctx, c)
	return cmp.Or(err, data.Missed.Err)
}

func (p *Pages) rescanPhotos(ctx context.Context, companyID int64) error {
	c, err := p.chosen(ctx, companyID)
	if err != nil {
		return err
	}
	data, err := p.syncPhotos(ctx, c)
	if fault.Is(err, CodeGone) { // a page need not have an account
		return errNothing
	}
	return cmp.Or(err, data.Missed.Err)
}

// before is what the last sync of the account read, nothing unless this one missed
// metrics. The account of another page tells nothing of this one.
func (p *Pages) before(ctx context.Context, companyID int64, service Service, account string, missed Missed) (metricsOf, error) {
	if missed.Err == nil {
		return metricsOf{}, nil
	}
	latest, err := p.store.LatestStatistics(ctx, companyID, service)
	switch {
	case fault.Is(err, CodeNoStatistics):
		return metricsOf{}, nil
	case err != nil:
		return metricsOf{}, err
	case latest.AccountID != account:
		return metricsOf{}, nil
	case latest.Page != nil:
		return metricsOf{latest.Page.Metrics, latest.Page.Unavailable, latest.Page.Reading, latest.SyncedAt}, nil
	case latest.Photos != nil:
		return metricsOf{latest.Photos.Insights, latest.Photos.Unavailable, latest.Photos.Reading, latest.SyncedAt}, nil
	}
	return metricsOf{}, nil
}

// chosen returns the active connection with a page, or the fault no_connection
// or no_page.
func (p *Pages) chosen(ctx context.Context, companyID int64) (Connection, error) {
	c, err := p.oauth.active(ctx, companyID, pagesPair)
	if err == nil && c.Chosen != ChosenPage {
		err = CodeNoPage.Fault()
	}
	return c, err
}

// chosenToSync is chosen for a sync that somebody asked for, which counts.
func (p *Pages) chosenToSync(ctx context.Context, companyID int64, s Service) (Connection, error) {
	c, err := p.chosen(ctx, companyID)
	if err == nil {
		err = p.oauth.maySync(ctx, companyID, s)
	}
	return c, err
}

// PageStatistics returns what the last sync of the company's page read, nothing when
// there was none, and the page's followers at that and earlier syncs, oldest first.
func (p *Pages) PageStatistics(ctx context.Context, companyID int64) (Statistics, []Followers, error) {
	return readings(ctx, p.store, companyID, SocialPages)
}

// PhotoStatistics is PageStatistics of the photo-network account.
func (p *Pages) PhotoStatistics(ctx context.Context, companyID int64) (Statistics, []Followers, error) {
	return readings(ctx, p.store, companyID, SocialPhotos)
}

// readings leaves out those of an account that the company had before.
func readings(ctx context.Context, store StatisticsStore, companyID int64, service Service) (Statistics, []Followers, error) {
	latest, err := store.LatestStatistics(ctx, companyID, service)
	if fault.Is(err, CodeNoStatistics) {
		return Statistics{}, nil, nil
	}
	if err != nil {
		return Statistics{}, nil, err
	}
	past, err := store.StatisticsHistory(ctx, companyID, service, historyLength)
	if err != nil {
		return Statistics{}, nil, err
	}
	var followers []Followers
	for _, reading := range slices.Backward(past) {
		if reading.AccountID == latest.AccountID {
			followers = append(followers, Followers{At: reading.SyncedAt, Count: reading.Followers})
		}
	}
	return latest, followers, nil
}
