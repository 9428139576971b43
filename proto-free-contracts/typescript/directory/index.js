// directory/core/bodySerializer.gen.ts
var serializeUrlSearchParamsPair = (data, key, value) => {
  if (typeof value === "string") {
    data.append(key, value);
  } else {
    data.append(key, JSON.stringify(value));
  }
};
var jsonBodySerializer = {
  bodySerializer: (body) => JSON.stringify(body, (_key, value) => typeof value === "bigint" ? value.toString() : value)
};
var urlSearchParamsBodySerializer = {
  bodySerializer: (body) => {
    const data = new URLSearchParams();
    Object.entries(body).forEach(([key, value]) => {
      if (value === void 0 || value === null) {
        return;
      }
      if (Array.isArray(value)) {
        value.forEach((v) => serializeUrlSearchParamsPair(data, key, v));
      } else {
        serializeUrlSearchParamsPair(data, key, value);
      }
    });
    return data.toString();
  }
};

// directory/core/params.gen.ts
var extraPrefixesMap = {
  $body_: "body",
  $headers_: "headers",
  $path_: "path",
  $query_: "query"
};
var extraPrefixes = Object.entries(extraPrefixesMap);

// directory/core/serverSentEvents.gen.ts
var createSseClient = ({
  onRequest,
  onSseError,
  onSseEvent,
  responseTransformer,
  responseValidator,
  sseDefaultRetryDelay,
  sseMaxRetryAttempts,
  sseMaxRetryDelay,
  sseSleepFn,
  url,
  ...options
}) => {
  let lastEventId;
  const sleep = sseSleepFn ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const createStream = async function* () {
    let retryDelay = sseDefaultRetryDelay ?? 3e3;
    let attempt = 0;
    const signal = options.signal ?? new AbortController().signal;
    while (true) {
      if (signal.aborted) break;
      attempt++;
      const headers = options.headers instanceof Headers ? options.headers : new Headers(options.headers);
      if (lastEventId !== void 0) {
        headers.set("Last-Event-ID", lastEventId);
      }
      try {
        const requestInit = {
          redirect: "follow",
          ...options,
          body: options.serializedBody,
          headers,
          signal
        };
        let request = new Request(url, requestInit);
        if (onRequest) {
          request = await onRequest(url, requestInit);
        }
        const _fetch = options.fetch ?? globalThis.fetch;
        const response = await _fetch(request);
        if (!response.ok) throw new Error(`SSE failed: ${response.status} ${response.statusText}`);
        if (!response.body) throw new Error("No body in SSE response");
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let buffer = "";
        const abortHandler = () => {
          try {
            reader.cancel();
          } catch {
          }
        };
        signal.addEventListener("abort", abortHandler);
        try {
          while (true) {
            const { done, value } = await reader.read();
            if (done) break;
            buffer += value;
            buffer = buffer.replace(/\r\n/g, "\n").replace(/\r/g, "\n");
            const chunks = buffer.split("\n\n");
            buffer = chunks.pop() ?? "";
            for (const chunk of chunks) {
              const lines = chunk.split("\n");
              const dataLines = [];
              let eventName;
              for (const line of lines) {
                if (line.startsWith("data:")) {
                  dataLines.push(line.replace(/^data:\s*/, ""));
                } else if (line.startsWith("event:")) {
                  eventName = line.replace(/^event:\s*/, "");
                } else if (line.startsWith("id:")) {
                  lastEventId = line.replace(/^id:\s*/, "");
                } else if (line.startsWith("retry:")) {
                  const parsed = Number.parseInt(line.replace(/^retry:\s*/, ""), 10);
                  if (!Number.isNaN(parsed)) {
                    retryDelay = parsed;
                  }
                }
              }
              let data;
              let parsedJson = false;
              if (dataLines.length) {
                const rawData = dataLines.join("\n");
                try {
                  data = JSON.parse(rawData);
                  parsedJson = true;
                } catch {
                  data = rawData;
                }
              }
              if (parsedJson) {
                if (responseValidator) {
                  await responseValidator(data);
                }
                if (responseTransformer) {
                  data = await responseTransformer(data);
                }
              }
              onSseEvent?.({
                data,
                event: eventName,
                id: lastEventId,
                retry: retryDelay
              });
              if (dataLines.length) {
                yield data;
              }
            }
          }
        } finally {
          signal.removeEventListener("abort", abortHandler);
          reader.releaseLock();
        }
        break;
      } catch (error) {
        onSseError?.(error);
        if (sseMaxRetryAttempts !== void 0 && attempt >= sseMaxRetryAttempts) {
          break;
        }
        const backoff = Math.min(retryDelay * 2 ** (attempt - 1), sseMaxRetryDelay ?? 3e4);
        await sleep(backoff);
      }
    }
  };
  const stream = createStream();
  return { stream };
};

// directory/core/pathSerializer.gen.ts
var separatorArrayExplode = (style) => {
  switch (style) {
    case "label":
      return ".";
    case "matrix":
      return ";";
    case "simple":
      return ",";
    default:
      return "&";
  }
};
var separatorArrayNoExplode = (style) => {
  switch (style) {
    case "form":
      return ",";
    case "pipeDelimited":
      return "|";
    case "spaceDelimited":
      return "%20";
    default:
      return ",";
  }
};
var separatorObjectExplode = (style) => {
  switch (style) {
    case "label":
      return ".";
    case "matrix":
      return ";";
    case "simple":
      return ",";
    default:
      return "&";
  }
};
var serializeArrayParam = ({
  allowReserved,
  explode,
  name,
  style,
  value
}) => {
  if (!explode) {
    const joinedValues2 = (allowReserved ? value : value.map((v) => encodeURIComponent(v))).join(separatorArrayNoExplode(style));
    switch (style) {
      case "label":
        return `.${joinedValues2}`;
      case "matrix":
        return `;${name}=${joinedValues2}`;
      case "simple":
        return joinedValues2;
      default:
        return `${name}=${joinedValues2}`;
    }
  }
  const separator = separatorArrayExplode(style);
  const joinedValues = value.map((v) => {
    if (style === "label" || style === "simple") {
      return allowReserved ? v : encodeURIComponent(v);
    }
    return serializePrimitiveParam({
      allowReserved,
      name,
      value: v
    });
  }).join(separator);
  return style === "label" || style === "matrix" ? separator + joinedValues : joinedValues;
};
var serializePrimitiveParam = ({
  allowReserved,
  name,
  value
}) => {
  if (value === void 0 || value === null) {
    return "";
  }
  if (typeof value === "object") {
    throw new Error(
      "Deeply-nested arrays/objects aren\u2019t supported. Provide your own `querySerializer()` to handle these."
    );
  }
  return `${name}=${allowReserved ? value : encodeURIComponent(value)}`;
};
var serializeObjectParam = ({
  allowReserved,
  explode,
  name,
  style,
  value,
  valueOnly
}) => {
  if (value instanceof Date) {
    return valueOnly ? value.toISOString() : `${name}=${value.toISOString()}`;
  }
  if (style !== "deepObject" && !explode) {
    let values = [];
    Object.entries(value).forEach(([key, v]) => {
      values = [...values, key, allowReserved ? v : encodeURIComponent(v)];
    });
    const joinedValues2 = values.join(",");
    switch (style) {
      case "form":
        return `${name}=${joinedValues2}`;
      case "label":
        return `.${joinedValues2}`;
      case "matrix":
        return `;${name}=${joinedValues2}`;
      default:
        return joinedValues2;
    }
  }
  const separator = separatorObjectExplode(style);
  const joinedValues = Object.entries(value).map(
    ([key, v]) => serializePrimitiveParam({
      allowReserved,
      name: style === "deepObject" ? `${name}[${key}]` : key,
      value: v
    })
  ).join(separator);
  return style === "label" || style === "matrix" ? separator + joinedValues : joinedValues;
};

// directory/core/utils.gen.ts
var PATH_PARAM_RE = /\{[^{}]+\}/g;
var defaultPathSerializer = ({ path, url: _url }) => {
  let url = _url;
  const matches = _url.match(PATH_PARAM_RE);
  if (matches) {
    for (const match of matches) {
      let explode = false;
      let name = match.substring(1, match.length - 1);
      let style = "simple";
      if (name.endsWith("*")) {
        explode = true;
        name = name.substring(0, name.length - 1);
      }
      if (name.startsWith(".")) {
        name = name.substring(1);
        style = "label";
      } else if (name.startsWith(";")) {
        name = name.substring(1);
        style = "matrix";
      }
      const value = path[name];
      if (value === void 0 || value === null) {
        continue;
      }
      if (Array.isArray(value)) {
        url = url.replace(match, serializeArrayParam({ explode, name, style, value }));
        continue;
      }
      if (typeof value === "object") {
        url = url.replace(
          match,
          serializeObjectParam({
            explode,
            name,
            style,
            value,
            valueOnly: true
          })
        );
        continue;
      }
      if (style === "matrix") {
        url = url.replace(
          match,
          `;${serializePrimitiveParam({
            name,
            value
          })}`
        );
        continue;
      }
      const replaceValue = encodeURIComponent(
        style === "label" ? `.${value}` : value
      );
      url = url.replace(match, replaceValue);
    }
  }
  return url;
};
var getUrl = ({
  baseUrl,
  path,
  query,
  querySerializer,
  url: _url
}) => {
  const pathUrl = _url.startsWith("/") ? _url : `/${_url}`;
  let url = (baseUrl ?? "") + pathUrl;
  if (path) {
    url = defaultPathSerializer({ path, url });
  }
  let search = query ? querySerializer(query) : "";
  if (search.startsWith("?")) {
    search = search.substring(1);
  }
  if (search) {
    url += `?${search}`;
  }
  return url;
};
function getValidRequestBody(options) {
  const hasBody = options.body !== void 0;
  const isSerializedBody = hasBody && options.bodySerializer;
  if (isSerializedBody) {
    if ("serializedBody" in options) {
      const hasSerializedBody = options.serializedBody !== void 0 && options.serializedBody !== "";
      return hasSerializedBody ? options.serializedBody : null;
    }
    return options.body !== "" ? options.body : null;
  }
  if (hasBody) {
    return options.body;
  }
  return void 0;
}

// directory/core/auth.gen.ts
var getAuthToken = async (auth, callback2) => {
  const token = typeof callback2 === "function" ? await callback2(auth) : callback2;
  if (!token) {
    return;
  }
  if (auth.scheme === "bearer") {
    return `Bearer ${token}`;
  }
  if (auth.scheme === "basic") {
    return `Basic ${btoa(token)}`;
  }
  return token;
};

// directory/client/utils.gen.ts
var createQuerySerializer = ({
  parameters = {},
  ...args
} = {}) => {
  const querySerializer = (queryParams) => {
    const search = [];
    if (queryParams && typeof queryParams === "object") {
      for (const name in queryParams) {
        const value = queryParams[name];
        if (value === void 0 || value === null) {
          continue;
        }
        const options = parameters[name] || args;
        if (Array.isArray(value)) {
          const serializedArray = serializeArrayParam({
            allowReserved: options.allowReserved,
            explode: true,
            name,
            style: "form",
            value,
            ...options.array
          });
          if (serializedArray) search.push(serializedArray);
        } else if (typeof value === "object") {
          const serializedObject = serializeObjectParam({
            allowReserved: options.allowReserved,
            explode: true,
            name,
            style: "deepObject",
            value,
            ...options.object
          });
          if (serializedObject) search.push(serializedObject);
        } else {
          const serializedPrimitive = serializePrimitiveParam({
            allowReserved: options.allowReserved,
            name,
            value
          });
          if (serializedPrimitive) search.push(serializedPrimitive);
        }
      }
    }
    return search.join("&");
  };
  return querySerializer;
};
var getParseAs = (contentType) => {
  if (!contentType) {
    return "stream";
  }
  const cleanContent = contentType.split(";")[0]?.trim();
  if (!cleanContent) {
    return;
  }
  if (cleanContent.startsWith("application/json") || cleanContent.endsWith("+json")) {
    return "json";
  }
  if (cleanContent === "multipart/form-data") {
    return "formData";
  }
  if (["application/", "audio/", "image/", "video/"].some((type) => cleanContent.startsWith(type))) {
    return "blob";
  }
  if (cleanContent.startsWith("text/")) {
    return "text";
  }
  return;
};
var checkForExistence = (options, name) => {
  if (!name) {
    return false;
  }
  if (options.headers.has(name) || options.query?.[name] || options.headers.get("Cookie")?.includes(`${name}=`)) {
    return true;
  }
  return false;
};
var setAuthParams = async ({
  security,
  ...options
}) => {
  for (const auth of security) {
    if (checkForExistence(options, auth.name)) {
      continue;
    }
    const token = await getAuthToken(auth, options.auth);
    if (!token) {
      continue;
    }
    const name = auth.name ?? "Authorization";
    switch (auth.in) {
      case "query":
        if (!options.query) {
          options.query = {};
        }
        options.query[name] = token;
        break;
      case "cookie":
        options.headers.append("Cookie", `${name}=${token}`);
        break;
      case "header":
      default:
        options.headers.set(name, token);
        break;
    }
  }
};
var buildUrl = (options) => getUrl({
  baseUrl: options.baseUrl,
  path: options.path,
  query: options.query,
  querySerializer: typeof options.querySerializer === "function" ? options.querySerializer : createQuerySerializer(options.querySerializer),
  url: options.url
});
var mergeConfigs = (a, b) => {
  const config = { ...a, ...b };
  if (config.baseUrl?.endsWith("/")) {
    config.baseUrl = config.baseUrl.substring(0, config.baseUrl.length - 1);
  }
  config.headers = mergeHeaders(a.headers, b.headers);
  return config;
};
var headersEntries = (headers) => {
  const entries = [];
  headers.forEach((value, key) => {
    entries.push([key, value]);
  });
  return entries;
};
var mergeHeaders = (...headers) => {
  const mergedHeaders = new Headers();
  for (const header of headers) {
    if (!header) {
      continue;
    }
    const iterator = header instanceof Headers ? headersEntries(header) : Object.entries(header);
    for (const [key, value] of iterator) {
      if (value === null) {
        mergedHeaders.delete(key);
      } else if (Array.isArray(value)) {
        for (const v of value) {
          mergedHeaders.append(key, v);
        }
      } else if (value !== void 0) {
        mergedHeaders.set(
          key,
          typeof value === "object" ? JSON.stringify(value) : value
        );
      }
    }
  }
  return mergedHeaders;
};
var Interceptors = class {
  fns = [];
  clear() {
    this.fns = [];
  }
  eject(id) {
    const index = this.getInterceptorIndex(id);
    if (this.fns[index]) {
      this.fns[index] = null;
    }
  }
  exists(id) {
    const index = this.getInterceptorIndex(id);
    return Boolean(this.fns[index]);
  }
  getInterceptorIndex(id) {
    if (typeof id === "number") {
      return this.fns[id] ? id : -1;
    }
    return this.fns.indexOf(id);
  }
  update(id, fn) {
    const index = this.getInterceptorIndex(id);
    if (this.fns[index]) {
      this.fns[index] = fn;
      return id;
    }
    return false;
  }
  use(fn) {
    this.fns.push(fn);
    return this.fns.length - 1;
  }
};
var createInterceptors = () => ({
  error: new Interceptors(),
  request: new Interceptors(),
  response: new Interceptors()
});
var defaultQuerySerializer = createQuerySerializer({
  allowReserved: false,
  array: {
    explode: true,
    style: "form"
  },
  object: {
    explode: true,
    style: "deepObject"
  }
});
var defaultHeaders = {
  "Content-Type": "application/json"
};
var createConfig = (override = {}) => ({
  ...jsonBodySerializer,
  headers: defaultHeaders,
  parseAs: "auto",
  querySerializer: defaultQuerySerializer,
  ...override
});

// directory/client/client.gen.ts
var createClient = (config = {}) => {
  let _config = mergeConfigs(createConfig(), config);
  const getConfig = () => ({ ..._config });
  const setConfig = (config2) => {
    _config = mergeConfigs(_config, config2);
    return getConfig();
  };
  const interceptors = createInterceptors();
  const beforeRequest = async (options) => {
    const opts = {
      ..._config,
      ...options,
      fetch: options.fetch ?? _config.fetch ?? globalThis.fetch,
      headers: mergeHeaders(_config.headers, options.headers),
      serializedBody: void 0
    };
    if (opts.security) {
      await setAuthParams({
        ...opts,
        security: opts.security
      });
    }
    if (opts.requestValidator) {
      await opts.requestValidator(opts);
    }
    if (opts.body !== void 0 && opts.bodySerializer) {
      opts.serializedBody = opts.bodySerializer(opts.body);
    }
    if (opts.body === void 0 || opts.serializedBody === "") {
      opts.headers.delete("Content-Type");
    }
    const resolvedOpts = opts;
    const url = buildUrl(resolvedOpts);
    return { opts: resolvedOpts, url };
  };
  const request = async (options) => {
    const { opts, url } = await beforeRequest(options);
    const requestInit = {
      redirect: "follow",
      ...opts,
      body: getValidRequestBody(opts)
    };
    let request2 = new Request(url, requestInit);
    for (const fn of interceptors.request.fns) {
      if (fn) {
        request2 = await fn(request2, opts);
      }
    }
    const _fetch = opts.fetch;
    let response;
    try {
      response = await _fetch(request2);
    } catch (error2) {
      let finalError2 = error2;
      for (const fn of interceptors.error.fns) {
        if (fn) {
          finalError2 = await fn(error2, void 0, request2, opts);
        }
      }
      finalError2 = finalError2 || {};
      if (opts.throwOnError) {
        throw finalError2;
      }
      return opts.responseStyle === "data" ? void 0 : {
        error: finalError2,
        request: request2,
        response: void 0
      };
    }
    for (const fn of interceptors.response.fns) {
      if (fn) {
        response = await fn(response, request2, opts);
      }
    }
    const result = {
      request: request2,
      response
    };
    if (response.ok) {
      const parseAs = (opts.parseAs === "auto" ? getParseAs(response.headers.get("Content-Type")) : opts.parseAs) ?? "json";
      if (response.status === 204 || response.headers.get("Content-Length") === "0") {
        let emptyData;
        switch (parseAs) {
          case "arrayBuffer":
          case "blob":
          case "text":
            emptyData = await response[parseAs]();
            break;
          case "formData":
            emptyData = new FormData();
            break;
          case "stream":
            emptyData = response.body;
            break;
          case "json":
          default:
            emptyData = {};
            break;
        }
        return opts.responseStyle === "data" ? emptyData : {
          data: emptyData,
          ...result
        };
      }
      let data;
      switch (parseAs) {
        case "arrayBuffer":
        case "blob":
        case "formData":
        case "text":
          data = await response[parseAs]();
          break;
        case "json": {
          const text = await response.text();
          data = text ? JSON.parse(text) : {};
          break;
        }
        case "stream":
          return opts.responseStyle === "data" ? response.body : {
            data: response.body,
            ...result
          };
      }
      if (parseAs === "json") {
        if (opts.responseValidator) {
          await opts.responseValidator(data);
        }
        if (opts.responseTransformer) {
          data = await opts.responseTransformer(data);
        }
      }
      return opts.responseStyle === "data" ? data : {
        data,
        ...result
      };
    }
    const textError = await response.text();
    let jsonError;
    try {
      jsonError = JSON.parse(textError);
    } catch {
    }
    const error = jsonError ?? textError;
    let finalError = error;
    for (const fn of interceptors.error.fns) {
      if (fn) {
        finalError = await fn(error, response, request2, opts);
      }
    }
    finalError = finalError || {};
    if (opts.throwOnError) {
      throw finalError;
    }
    return opts.responseStyle === "data" ? void 0 : {
      error: finalError,
      ...result
    };
  };
  const makeMethodFn = (method) => (options) => request({ ...options, method });
  const makeSseFn = (method) => async (options) => {
    const { opts, url } = await beforeRequest(options);
    return createSseClient({
      ...opts,
      body: opts.body,
      headers: opts.headers,
      method,
      onRequest: async (url2, init) => {
        let request2 = new Request(url2, init);
        for (const fn of interceptors.request.fns) {
          if (fn) {
            request2 = await fn(request2, opts);
          }
        }
        return request2;
      },
      serializedBody: getValidRequestBody(opts),
      url
    });
  };
  const _buildUrl = (options) => buildUrl({ ..._config, ...options });
  return {
    buildUrl: _buildUrl,
    connect: makeMethodFn("CONNECT"),
    delete: makeMethodFn("DELETE"),
    get: makeMethodFn("GET"),
    getConfig,
    head: makeMethodFn("HEAD"),
    interceptors,
    options: makeMethodFn("OPTIONS"),
    patch: makeMethodFn("PATCH"),
    post: makeMethodFn("POST"),
    put: makeMethodFn("PUT"),
    request,
    setConfig,
    sse: {
      connect: makeSseFn("CONNECT"),
      delete: makeSseFn("DELETE"),
      get: makeSseFn("GET"),
      head: makeSseFn("HEAD"),
      options: makeSseFn("OPTIONS"),
      patch: makeSseFn("PATCH"),
      post: makeSseFn("POST"),
      put: makeSseFn("PUT"),
      trace: makeSseFn("TRACE")
    },
    trace: makeMethodFn("TRACE")
  };
};

// directory/client.gen.ts
var client = createClient(createConfig());

// directory/sdk.gen.ts
var login = (options) => (options.client ?? client).post({
  url: "/api/auth/login",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var logout = (options) => (options?.client ?? client).post({ url: "/api/auth/logout", ...options });
var getMe = (options) => (options?.client ?? client).get({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/auth/me",
  ...options
});
var headMe = (options) => (options?.client ?? client).head({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/auth/me",
  ...options
});
var changePassword = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/auth/password",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var requestReset = (options) => (options.client ?? client).post({
  url: "/api/auth/reset",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var confirmReset = (options) => (options.client ?? client).post({
  url: "/api/auth/reset/confirm",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var listSessions = (options) => (options?.client ?? client).get({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/auth/sessions",
  ...options
});
var headSessions = (options) => (options?.client ?? client).head({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/auth/sessions",
  ...options
});
var endSessions = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/auth/sessions/end",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var changeProfile = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/auth/profile",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var requestEmail = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/auth/email",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var confirmEmail = (options) => (options.client ?? client).post({
  url: "/api/auth/email/confirm",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var listColleagues = (options) => (options?.client ?? client).get({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/company/users",
  ...options
});
var headColleagues = (options) => (options?.client ?? client).head({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/company/users",
  ...options
});
var inviteColleague = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/company/users",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var removeColleague = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/company/users/{id}/remove",
  ...options
});
var listCompanies = (options) => (options?.client ?? client).get({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/companies",
  ...options
});
var headCompanies = (options) => (options?.client ?? client).head({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/companies",
  ...options
});
var addCompany = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/companies",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var getCompany = (options) => (options.client ?? client).get({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/companies/{id}",
  ...options
});
var headCompany = (options) => (options.client ?? client).head({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/companies/{id}",
  ...options
});
var editCompany = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/companies/{id}",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var listUsers = (options) => (options?.client ?? client).get({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users",
  ...options
});
var headUsers = (options) => (options?.client ?? client).head({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users",
  ...options
});
var inviteUser = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var getUser = (options) => (options.client ?? client).get({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users/{id}",
  ...options
});
var headUser = (options) => (options.client ?? client).head({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users/{id}",
  ...options
});
var editUser = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users/{id}",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var deleteUser = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users/{id}/delete",
  ...options
});
var makeResetLink = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users/{id}/reset-link",
  ...options
});
var listUserSessions = (options) => (options.client ?? client).get({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users/{id}/sessions",
  ...options
});
var headUserSessions = (options) => (options.client ?? client).head({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users/{id}/sessions",
  ...options
});
var endUserSessions = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/admin/users/{id}/sessions/end",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var connect = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/connect/{provider}/{service}",
  ...options
});
var callback = (options) => (options.client ?? client).get({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/callback/{provider}",
  ...options
});
var headCallback = (options) => (options.client ?? client).head({ url: "/api/oauth/callback/{provider}", ...options });
var getStatus = (options) => (options?.client ?? client).get({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/status",
  ...options
});
var headStatus = (options) => (options?.client ?? client).head({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/status",
  ...options
});
var disconnect = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/disconnect/{provider}/{service}",
  ...options
});
var discoverLocations = (options) => (options?.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/provider_search/discover-locations",
  ...options
});
var selectLocation = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/provider_search/select-location",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var discoverProperties = (options) => (options?.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/provider_search/discover-properties",
  ...options
});
var selectProperty = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/provider_search/select-property",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var discoverPages = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/provider_social/discover-pages",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var selectPage = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/provider_social/select-page",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var syncPage = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/provider_social/sync-facebook",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var syncPhotos = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/provider_social/sync-instagram",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var deauthorize = (options) => (options.client ?? client).post({
  ...urlSearchParamsBodySerializer,
  url: "/api/oauth/provider_social/deauthorize",
  ...options,
  headers: {
    "Content-Type": "application/x-www-form-urlencoded",
    ...options.headers
  }
});
var deleteData = (options) => (options.client ?? client).post({
  ...urlSearchParamsBodySerializer,
  url: "/api/oauth/provider_social/data-deletion",
  ...options,
  headers: {
    "Content-Type": "application/x-www-form-urlencoded",
    ...options.headers
  }
});
var syncAnalytics = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/provider_search/sync-analytics",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var syncPerformance = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/oauth/provider_search/sync-performance",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var getAuditHealth = (options) => (options?.client ?? client).get({ url: "/api/bizprofile/audit/health", ...options });
var headAuditHealth = (options) => (options?.client ?? client).head({ url: "/api/bizprofile/audit/health", ...options });
var getAudit = (options) => (options?.client ?? client).get({ url: "/api/bizprofile/audit", ...options });
var headAudit = (options) => (options?.client ?? client).head({ url: "/api/bizprofile/audit", ...options });
var runAudit = (options) => (options.client ?? client).post({
  security: [{
    in: "cookie",
    name: "session",
    type: "apiKey"
  }],
  url: "/api/bizprofile/audit",
  ...options,
  headers: {
    "Content-Type": "application/json",
    ...options.headers
  }
});
var getAuditBySlug = (options) => (options.client ?? client).get({ url: "/api/bizprofile/audit/{slug}", ...options });
var headAuditBySlug = (options) => (options.client ?? client).head({ url: "/api/bizprofile/audit/{slug}", ...options });
var getAuditHistory = (options) => (options.client ?? client).get({ url: "/api/bizprofile/audit/{slug}/history", ...options });
var headAuditHistory = (options) => (options.client ?? client).head({ url: "/api/bizprofile/audit/{slug}/history", ...options });
export {
  addCompany,
  callback,
  changePassword,
  changeProfile,
  client,
  confirmEmail,
  confirmReset,
  connect,
  deauthorize,
  deleteData,
  deleteUser,
  disconnect,
  discoverLocations,
  discoverPages,
  discoverProperties,
  editCompany,
  editUser,
  endSessions,
  endUserSessions,
  getAudit,
  getAuditBySlug,
  getAuditHealth,
  getAuditHistory,
  getCompany,
  getMe,
  getStatus,
  getUser,
  headAudit,
  headAuditBySlug,
  headAuditHealth,
  headAuditHistory,
  headCallback,
  headColleagues,
  headCompanies,
  headCompany,
  headMe,
  headSessions,
  headStatus,
  headUser,
  headUserSessions,
  headUsers,
  inviteColleague,
  inviteUser,
  listColleagues,
  listCompanies,
  listSessions,
  listUserSessions,
  listUsers,
  login,
  logout,
  makeResetLink,
  removeColleague,
  requestEmail,
  requestReset,
  runAudit,
  selectLocation,
  selectPage,
  selectProperty,
  syncAnalytics,
  syncPage,
  syncPerformance,
  syncPhotos
};
