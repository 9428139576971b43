-- The slots of one source, over all replicas.
-- KEYS[1] hash: "last" request and "next" free slot in microseconds, tickets "given"
-- out so far, and the "top" ticket whose request was started
-- KEYS[2] optional: exists for as long as the look-up of that name waits for its turn
-- ARGV[1] reserve | start | sent | place, ARGV[2] interval in microseconds
-- ARGV[3] for reserve the longest wait in microseconds, for start the ticket
-- Returns {ticket, microseconds to wait}. reserve refuses with ticket 0.
if ARGV[1] == 'place' then return {0, math.max(redis.call('PTTL', KEYS[2]), 0) * 1000} end

local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local verb, interval, arg = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local function get(field) return tonumber(redis.call('HGET', KEYS[1], field) or '0') end
local function set(field, n) redis.call('HSET', KEYS[1], field, string.format('%.0f', n)) end

local function note_turn(wait)
  if KEYS[2] and wait > 0 then redis.call('SET', KEYS[2], '', 'PX', math.ceil(wait / 1000)) end
end

local last = get('last')
if last == 0 or last > now then -- it was lost, or the clock went back: wait an interval from now
  redis.call('DEL', KEYS[1])
  set('last', now)
  last = now
end

if verb == 'reserve' then
  local slot = math.max(now, last + interval, get('next'))
  if slot - now > arg then return {0, slot - now} end
  set('next', slot + interval)
  note_turn(slot - now)
  return {redis.call('HINCRBY', KEYS[1], 'given', 1), slot - now}
end

if verb == 'start' and last + interval > now then
  note_turn(last + interval - now)
  return {arg, last + interval - now}
end
local given, top = get('given'), get('top')
if arg <= given and arg > top then -- a ticket above given is from before the loss
  top = arg
  set('top', top)
end
set('last', now)
-- Even when this request was late, later tickets come before the next free slot.
set('next', math.max(get('next'), now + interval * (1 + given - top)))
return {arg, 0}
