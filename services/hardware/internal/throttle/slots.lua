-- The queue for the turns at one source, over all replicas; memory.go has the same rules
-- for one process.
-- KEYS[1] hash: "last" request in microseconds, the last "arrival", the "round" of the
-- last look-up that began and when it was "opened"
-- KEYS[2] sorted set: tickets by round. A ticket is arrival:network:client:look-up
-- KEYS[3] sorted set: tickets by the time at which their owner counts as dead
-- KEYS[4] sorted set: networks by the round of their last look-up that began
-- ARGV[1] JSON: the fields of request in redis.go
-- ask returns JSON {ticket, taken, again, wait}, without a ticket if it is refused, raise how many
-- of the look-ups wait, and queue a list of look-ups and their waits, in order.
local q = cjson.decode(ARGV[1])
local state, line, alive, served = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]

local function text(n) return string.format('%.0f', n) end
local function parts(ticket) return string.match(ticket, '^[^:]*:([^:]*):([^:]*):(.*)$') end
local function remove(ticket)
  redis.call('ZREM', line, ticket)
  redis.call('ZREM', alive, ticket)
end

if q.verb == 'sent' then return redis.call('HSET', state, 'last', text(now)) end

local kept = redis.call('HMGET', state, 'last', 'round', 'opened')
local last, round, opened = tonumber(kept[1] or 0), tonumber(kept[2] or 0), tonumber(kept[3] or 0)
if last == 0 or last > now then -- it was lost, or the clock went back: wait an interval from now
  redis.call('DEL', state, line, alive, served)
  last, round, opened = now, 0, now
  redis.call('HSET', state, 'last', text(last), 'opened', text(opened))
end
local free = math.max(last + q.interval - now, 0)
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', alive, '-inf', text(now))) do
  if dead ~= q.ticket then remove(dead) end
end

-- read returns the waiting tickets in order, and the round and the wait of each.
local function read()
  local raw, order, rounds, waits, wait = redis.call('ZRANGE', line, 0, -1, 'WITHSCORES'), {}, {}, {}, free
  for i = 1, #raw, 2 do
    local ticket, r = raw[i], tonumber(raw[i + 1])
    order[#order + 1], rounds[ticket], waits[ticket] = ticket, r, wait
    wait = wait + q.interval * (r == 0 and 1 or q.turns)
  end
  return order, rounds, waits
end
local order, rounds, waits = read()

if q.verb == 'queue' then
  local places = {}
  for _, ticket in ipairs(order) do
    local _, _, key = parts(ticket)
    places[#places + 1], places[#places + 2] = key, text(waits[ticket])
  end
  return places
end

-- joinRound adds a ticket, and gives the rounds of its network to the clients of the
-- network round-robin. It returns how many tickets of its client were waiting, and whether the
-- round is a later one than the current.
local function joinRound(ticket)
  if #order == 0 then
    round, opened = round + 1, now
    redis.call('HSET', state, 'round', text(round), 'opened', text(opened))
  end
  local r = math.max(round, tonumber(redis.call('ZSCORE', served, q.network) or 0) + 1)
  if now - opened >= q.open then r = math.max(r, round + 1) end
  local peers, free_rounds, before, index = {ticket}, {}, {}, {}
  for _, other in ipairs(order) do
    if rounds[other] > 0 and rounds[other] < q.idle and parts(other) == q.network then
      peers[#peers + 1], free_rounds[#free_rounds + 1] = other, rounds[other]
      r = math.max(r, rounds[other] + 1)
    end
  end
  free_rounds[#free_rounds + 1] = r
  table.sort(peers) -- by arrival
  for _, peer in ipairs(peers) do
    local _, client = parts(peer)
    index[peer] = before[client] or 0
    before[client] = index[peer] + 1
  end
  table.sort(peers, function(a, b)
    if index[a] ~= index[b] then return index[a] < index[b] end
    return a < b
  end)
  for i, peer in ipairs(peers) do redis.call('ZADD', line, text(free_rounds[i]), peer) end
  return index[ticket], r > round
end

-- restore removes a ticket, and gives the others their rounds from before.
local function restore(ticket, before)
  remove(ticket)
  for other, theirs in pairs(before) do redis.call('ZADD', line, text(theirs), other) end
  order, rounds, waits = read()
end

-- join adds a ticket, unless the queue is too long for it. It returns whether it did, and the wait.
local function join(ticket)
  local before, mine, later, limit = rounds, 0, false, q.limit
  if q.round < 0 then mine, later = joinRound(ticket) else redis.call('ZADD', line, text(q.round), ticket) end
  order, rounds, waits = read()
  if mine == 0 and later then limit = limit / 2 end
  local wait, most = waits[ticket], mine == 0 and q.waiting or q.waiting / 2
  local joins = q.admitted or mine < q.most and wait <= limit and #order <= most
  if not joins then restore(ticket, before) end
  return joins, wait
end

local function newTicket(lookup)
  local arrival = math.max(now, tonumber(redis.call('HGET', state, 'arrival') or 0) + 1)
  redis.call('HSET', state, 'arrival', text(arrival))
  return string.format('%016.0f:%s:%s:%s', arrival, q.network, q.client, lookup)
end

-- find returns the ticket of a look-up, if it waits, and its client.
local function find(lookup)
  for _, ticket in ipairs(order) do
    local _, client, key = parts(ticket)
    if key == lookup then return ticket, client end
  end
end

-- current returns the ticket that q's may have become, because its look-up was raised.
local function current() return rounds[q.ticket] and q.ticket or find(q.lookup) or q.ticket end

if q.verb == 'leave' then return remove(current()) end

if q.verb == 'raise' then
  local waiting = 0
  for _, lookup in ipairs(q.lookups) do
    local old, client = find(lookup)
    if old then waiting = waiting + 1 end
    if old and (client ~= q.client or q.round >= 0) then
      local before, new = rounds, newTicket(lookup)
      if join(new) then
        if rounds[new] < before[old] then
          redis.call('ZADD', alive, redis.call('ZSCORE', alive, old), new)
          remove(old)
          order, rounds, waits = read()
        else
          restore(new, before)
        end
      end
    end
  end
  return waiting
end

local ticket = q.ticket == '' and newTicket(q.lookup) or current()
if not rounds[ticket] then
  local joins, wait = join(ticket)
  if not joins then return cjson.encode({ticket = '', wait = wait}) end
end
local wait, r = waits[ticket], rounds[ticket]
if order[1] ~= ticket or free > 0 then
  local again = free > 0 and free or q.interval
  redis.call('ZADD', alive, text(now + again + q.interval), ticket)
  return cjson.encode({ticket = ticket, again = again, wait = math.max(wait, again)})
end
remove(ticket)
redis.call('HSET', state, 'last', text(now))
if r > 0 and r < q.idle then
  if r > round then
    round = r
    redis.call('HSET', state, 'round', text(r), 'opened', text(now))
  end
  redis.call('ZADD', served, text(r), q.network)
  redis.call('ZREMRANGEBYSCORE', served, '-inf', text(round - 1))
end
return cjson.encode({ticket = ticket, taken = true})
