-- One source's breaker.
-- KEYS[1] hash {until, set, trial, failures, question}: end of the pause or the trial,
-- and when it was set, in milliseconds, 1 when it is a trial, failures in a row, and the
-- question that failed last
-- ARGV[1] allow | rest | pause | fail | succeed
-- ARGV[2] pause, ARGV[3] failures that open it, ARGV[4] memory of failures, ARGV[5] trial; milliseconds
-- ARGV[6] question, whose failures in a row count once; empty: none
-- Returns the milliseconds left of the pause, 0 when the source may be asked.
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local verb, pause, memory, trial = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4]), tonumber(ARGV[5])
local stop = tonumber(redis.call('HGET', KEYS[1], 'until') or '0')

local ahead = tonumber(redis.call('HGET', KEYS[1], 'set') or '0') - now
if ahead > 0 then -- the clock went back: the pause must not last longer for that
  stop = stop - ahead
  redis.call('HSET', KEYS[1], 'until', string.format('%.0f', stop), 'set', string.format('%.0f', now))
end

local function hold(ms, onTrial)
  local till = math.max(stop, now + ms)
  redis.call('HSET', KEYS[1], 'until', string.format('%.0f', till), 'set', string.format('%.0f', now), 'trial', onTrial)
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', till - now + memory))
end

if verb == 'allow' then
  if stop == 0 then return 0 end
  if now < stop then return stop - now end
  hold(trial, 1)
elseif verb == 'rest' then
  if now < stop and redis.call('HGET', KEYS[1], 'trial') == '0' then return stop - now end
elseif verb == 'pause' then
  hold(pause, 0)
elseif verb == 'fail' then
  if stop == 0 and ARGV[6] ~= '' and redis.call('HGET', KEYS[1], 'question') == ARGV[6] then return 0 end
  redis.call('HSET', KEYS[1], 'question', ARGV[6])
  local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
  if stop == 0 then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', memory)) end
  if failures >= tonumber(ARGV[3]) or stop > 0 then hold(pause, 0) end
elseif now < stop and redis.call('HGET', KEYS[1], 'trial') == '0' then
  redis.call('HDEL', KEYS[1], 'failures', 'question') -- it was sent before the pause
  return stop - now
else
  redis.call('DEL', KEYS[1])
end
return 0
