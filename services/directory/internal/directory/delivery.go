package directory

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// DeliveryState is where a delivery stands.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryParked    DeliveryState = "parked" // tried for as long as it may be, or its webhook is disabled
)

// DeliveryResult is how an attempt ended.
type DeliveryResult string

// The results of an attempt.
const (
	ResultDelivered   DeliveryResult = "delivered"
	ResultRefused     DeliveryResult = "refused"     // answered with another status than 2xx
	ResultGone        DeliveryResult = "gone"        // answered with 410: no more of this
	ResultUnreachable DeliveryResult = "unreachable" // or too slow
	ResultForbidden   DeliveryResult = "forbidden"   // an inner address, which is not called
	ResultNoSecret    DeliveryResult = "no_secret"   // the secret cannot be read, so nothing is sent
)

// Answer is what an attempt met with. What the receiver says besides its status is
// not kept.
type Answer struct {
	Result DeliveryResult
	Status int // of HTTP; 0: no answer
}

// Delivery is one event on its way to one webhook.
type Delivery struct {
	ID        int64
	Webhook   Webhook
	Event     Event
	State     DeliveryState
	Attempts  int // with the one under way
	Last      Answer
	NextAt    time.Time // when it is due
	CreatedAt time.Time
}

// Outbox is what waits to be delivered.
type Outbox struct {
	Waiting int64
	Overdue time.Duration // since the longest due one became so; zero when none is
}

const (
	deliverInterval = time.Second // between looks into the outbox
	observeInterval = 15 * time.Second
	receiversAtOnce = 16
	sendLimit       = 10 * time.Second
	// claimTime is how long a delivery is kept from others; the process that has
	// claimed it may die meanwhile.
	claimTime = 30 * time.Second
)

// retryAfter are the waits after the attempts; after the last one a delivery is
// parked. They follow what Standard Webhooks recommends.
var retryAfter = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// Run delivers what is in the outbox until ctx ends, and lets attempts that are under
// way come to an end. Any number of replicas may run it. A receiver gets one delivery
// at a time from each, so that a slow one holds up nobody else's.
func (w *Webhooks) Run(ctx context.Context) {
	dispatch := dispatcher{Webhooks: w, busy: map[int64]bool{}}
	defer dispatch.turns.Wait()
	look, observe := time.NewTicker(deliverInterval), time.NewTicker(observeInterval)
	defer look.Stop()
	defer observe.Stop()
	dispatch.look(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			dispatch.look(ctx)
		case <-observe.C:
			w.observe(ctx)
		}
	}
}

// observe reports what waits.
func (w *Webhooks) observe(ctx context.Context) {
	outbox, err := w.options.Store.Outbox(ctx, w.options.Now())
	switch {
	case err != nil && ctx.Err() == nil:
		w.options.Log.WarnContext(ctx, "outbox not read", "error", err)
	case err == nil && w.options.Seen != nil:
		w.options.Seen(outbox)
	}
}

// dispatcher gives each webhook that something is due for a turn.
type dispatcher struct {
	*Webhooks
	turns sync.WaitGroup
	mu    sync.Mutex
	busy  map[int64]bool
}

// look begins turns, as far as there is room for them.
func (d *dispatcher) look(ctx context.Context) {
	busy := d.busyNow()
	if len(busy) >= receiversAtOnce {
		return
	}
	due, err := d.options.Store.DueWebhooks(ctx, d.options.Now(), busy, receiversAtOnce-len(busy))
	if err != nil && ctx.Err() == nil {
		d.options.Log.WarnContext(ctx, "outbox not read", "error", err)
	}
	for _, id := range due {
		d.mark(id, true)
		d.turns.Go(func() {
			defer d.mark(id, false)
			d.turn(ctx, id)
		})
	}
}

func (d *dispatcher) busyNow() []int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := []int64{}
	for id := range d.busy {
		ids = append(ids, id)
	}
	return ids
}

func (d *dispatcher) mark(id int64, busy bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if busy {
		d.busy[id] = true
		return
	}
	delete(d.busy, id)
}

// turn delivers what is due for one webhook, up to the first that is not taken.
func (d *dispatcher) turn(ctx context.Context, id int64) {
	for ctx.Err() == nil {
		now := d.options.Now()
		claimed, ok, err := d.options.Store.ClaimDelivery(ctx, id, now, now.Add(claimTime))
		if err == nil && ok {
			claimed, err = d.attempt(context.WithoutCancel(ctx), claimed)
		}
		if err != nil && ctx.Err() == nil {
			d.options.Log.WarnContext(ctx, "webhook not delivered", "webhook", id, "error", err)
		}
		if err != nil || !ok || claimed.State != DeliveryDelivered {
			return
		}
	}
}

// attempt sends a delivery that is claimed, and keeps how that went. A test is not
// repeated.
func (w *Webhooks) attempt(ctx context.Context, d Delivery) (Delivery, error) {
	d.Last = w.send(ctx, d)
	if w.options.Sent != nil {
		w.options.Sent(d.Last.Result)
	}
	disable := DisabledReason("")
	switch {
	case d.Last.Result == ResultDelivered:
		d.State = DeliveryDelivered
	case d.Last.Result == ResultGone:
		d.State, disable = DeliveryParked, DisabledGone
	case d.Event.Type == EventTest:
		d.State = DeliveryParked
	case d.Attempts > len(retryAfter):
		d.State, disable = DeliveryParked, DisabledFailing
	default:
		wait := retryAfter[d.Attempts-1]
		d.NextAt = w.options.Now().Add(wait + rand.N(wait/5)) // #nosec G404 -- spreads the attempts, keeps no secret
	}
	return d, w.options.Store.FinishDelivery(ctx, d, disable)
}

func (w *Webhooks) send(ctx context.Context, d Delivery) Answer {
	if d.Webhook.Secret == "" {
		return Answer{Result: ResultNoSecret}
	}
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()
	return w.options.Sender.Send(ctx, Message{URL: d.Webhook.URL, Secrets: d.Webhook.secrets(w.options.Now()), Event: d.Event})
}
