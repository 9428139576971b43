-- The line for the turns at one source, over all replicas. A turn is taken by the first
-- in line, by round and arrival, an interval after the last request.
-- KEYS[1] hash: "last" request in microseconds, the last "arrival", the "round" of the
-- last look-up that began and when it "opened", and "firsts", the share of turns with
-- which one begins
-- KEYS[2] sorted set: tickets by round. A ticket is arrival:client:look-up
-- KEYS[3] sorted set: tickets by the time at which their owner is taken for dead
-- KEYS[4] sorted set: clients by the round of the last look-up that they began
-- KEYS[5] sorted set: replicas by when they were here last
-- ARGV[1] ask | leave | sent | line | here | gone, ARGV[2] interval in microseconds,
-- ARGV[3] how many replicas there may be
-- For leave ARGV[4] is the ticket, for here and gone the replica, and for ask: [4]
-- ticket, empty when it is new, [5] client, [6] look-up, [7] round: 0 begun, -1 by
-- client, or the idle one, [8] 1 when it was let into the line, which else depends on
-- [9] most tickets of the client, [10] longest wait, [11] most tickets; [12] idle round,
-- [13] for how long a round is open to those who have not had their turn in it
-- ask returns {ticket, 1 when the turn is taken, when to ask again, time until the
-- turn}, with an empty ticket when it is refused; line {look-up, time, …} in order.
local verb, interval = ARGV[1], tonumber(ARGV[2])
local state, line, alive, served, present = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]

local function text(n) return string.format('%.0f', n) end
local function remove(ticket)
  redis.call('ZREM', line, ticket)
  redis.call('ZREM', alive, ticket)
end

if verb == 'leave' then return remove(ARGV[4]) end
if verb == 'sent' then return redis.call('HSET', state, 'last', text(now)) end
if verb == 'gone' then return redis.call('ZREM', present, ARGV[4]) end
if verb == 'here' then
  redis.call('ZREMRANGEBYSCORE', present, '-inf', text(now - 3600000000))
  return redis.call('ZADD', present, text(now), ARGV[4])
end

-- Replicas that were here and are not any more may be cut off, and ask the source all the
-- same, each at its share of the rate: it is taken off the rate of all others.
local replicas = tonumber(ARGV[3])
local absent = redis.call('ZCOUNT', present, '-inf', '(' .. text(now - math.max(interval, 1000000)))
interval = interval * replicas / math.max(replicas - absent, 1)

local kept = redis.call('HMGET', state, 'last', 'round', 'opened', 'firsts')
local last, round, opened, firsts = tonumber(kept[1] or 0), tonumber(kept[2] or 0), tonumber(kept[3] or 0), tonumber(kept[4] or 0.5)
if last == 0 or last > now then -- it was lost, or the clock went back: wait an interval from now
  redis.call('DEL', state, line, alive, served)
  last, round, opened = now, 0, now
  redis.call('HSET', state, 'last', text(last), 'opened', text(opened))
end
local free = math.max(last + interval - now, 0)
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', alive, '-inf', text(now))) do
  if dead ~= ARGV[4] then remove(dead) end
end

local waiting = redis.call('ZRANGE', line, 0, -1, 'WITHSCORES')
-- each calls f with every ticket, its round, and the time until its turn.
local function each(f)
  local wait = free
  for i = 1, #waiting, 2 do
    local r = tonumber(waiting[i + 1])
    f(waiting[i], r, wait)
    if r == 0 then wait = wait + interval else wait = wait + interval / math.max(firsts, 0.2) end
  end
end

if verb == 'line' then
  local places = {}
  each(function(ticket, _, wait)
    places[#places + 1] = string.match(ticket, ':([^:]*)$')
    places[#places + 1] = wait
  end)
  return places
end

local ticket, client, admitted, idle = ARGV[4], ARGV[5], ARGV[8] == '1', tonumber(ARGV[12])
local mine = 0
if ticket == '' then
  local arrival = math.max(now, tonumber(redis.call('HGET', state, 'arrival') or 0) + 1)
  redis.call('HSET', state, 'arrival', text(arrival))
  ticket = string.format('%016.0f:%s:%s', arrival, client, ARGV[6])
end
local r = tonumber(redis.call('ZSCORE', line, ticket) or -1)
if r < 0 then
  r = tonumber(ARGV[7])
  if r < 0 then -- the round after the client's last one, unless it is over
    if #waiting == 0 then
      round, opened = round + 1, now
      redis.call('HSET', state, 'round', text(round), 'opened', text(opened))
    end
    r = math.max(round, 1, tonumber(redis.call('ZSCORE', served, client) or 0) + 1)
    if now - opened >= tonumber(ARGV[13]) then r = math.max(r, round + 1) end
    each(function(other, theirs)
      if theirs > 0 and theirs < idle and string.match(other, ':([^:]*):') == client then
        mine = mine + 1
        r = math.max(r, theirs + 1)
      end
    end)
  end
  redis.call('ZADD', line, text(r), ticket)
  waiting = redis.call('ZRANGE', line, 0, -1, 'WITHSCORES')
end

local wait, limit = 0, tonumber(ARGV[10])
if r > round then limit = limit / 2 end -- those who come back will go before it
each(function(other, _, until_turn) if other == ticket then wait = until_turn end end)
if not admitted and (mine >= tonumber(ARGV[9]) or wait > limit or #waiting / 2 > tonumber(ARGV[11])) then
  remove(ticket)
  return {'', 0, 0, wait}
end
if wait > 0 then
  local again = free > 0 and free or interval
  redis.call('ZADD', alive, text(now + again + interval), ticket)
  return {ticket, 0, again, math.max(wait, again)}
end
remove(ticket)
redis.call('HSET', state, 'last', text(now))
if r < idle then
  firsts = firsts + ((r > 0 and 1 or 0) - firsts) / 16
  redis.call('HSET', state, 'firsts', string.format('%.4f', firsts))
end
if r > 0 and r < idle then
  if r > round then redis.call('HSET', state, 'round', text(r), 'opened', text(now)) end
  redis.call('ZADD', served, text(r), client)
  redis.call('ZREMRANGEBYSCORE', served, '-inf', text(math.max(r, round) - 1))
end
return {ticket, 1, 0, 0}
