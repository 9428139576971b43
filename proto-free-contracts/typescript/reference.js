// Writes the reference of one API as HTML, the main part of the page /docs:
//
//   node reference.js NAME >reference/NAME.html
//
// It supports what the contracts use of OpenAPI and CommonMark, and fails for other markup.
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {basename} from 'node:path';
import yaml from 'js-yaml';

const name = process.argv[2];
const contract = readFileSync(new URL(`../${name}.openapi.yaml`, import.meta.url));
// In this schema, dates stay text.
const api = yaml.load(contract.toString(), {schema: yaml.CORE_SCHEMA});

const escapes = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};
const escape = (text) => String(text).replace(/[&<>"]/g, (character) => escapes[character]);
const code = (text) => `<code>${escape(text)}</code>`;
const each = (items, write) => (items ?? []).map(write).join('\n');
const when = (condition, text) => (condition ? text : '');
const refName = (value) => value?.$ref && basename(value.$ref);
const text = (value) => (value !== null && typeof value === 'object' ? json(value) : String(value ?? ''));
const json = (value) => JSON.stringify(value, null, 2);

// resolve returns value, or the component that it refers to.
function resolve(value) {
  return value?.$ref ? value.$ref.slice(2).split('/').reduce((object, key) => object[key], api) : (value ?? {});
}

// inline converts `code` and **strong** of a paragraph or table cell.
function inline(source) {
  return escape(source.trim()).replace(/`([^`]+)`/g, '<code>$1</code>').replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

// markdown converts paragraphs and tables.
function markdown(source = '') {
  return each(source.trim().split(/\n{2,}/), (block) => {
    if (block.startsWith('|')) {
      const [head, , ...rows] = block.split('\n').map((line) => line.split('|').slice(1, -1));
      const row = (tag) => (cells) => `<tr>${each(cells, (cell) => `<${tag}>${inline(cell)}</${tag}>`)}</tr>`;
      return `<table>\n<thead>${row('th')(head)}</thead>\n<tbody>${each(rows, row('td'))}</tbody>\n</table>`;
    }
    if (/^( {4}|[#>*+-] |\d+\. |```)|\]\(|(^|\s)[*_]\w/m.test(block)) {
      throw new Error(`${name}: markup that the reference does not support:\n${block}`);
    }
    return when(block, `<p>${inline(block)}</p>`);
  });
}

const described = (source) => when(source, `<div>${markdown(source)}</div>`);

// typeText returns a type, with links to schemas.
function typeText(schema) {
  if (schema?.$ref) {
    return `<a href="#schema-${refName(schema)}">${refName(schema)}</a>`;
  }
  const {type, items, additionalProperties: rest} = schema ?? {};
  if (!type) {
    const alternatives = (schema?.oneOf ?? schema?.anyOf ?? schema?.allOf ?? []).map(typeText).filter(Boolean);
    if (alternatives.length) {
      return alternatives.join(' | ');
    }
  }
  if (items) {
    return `array of ${typeText(items)}`;
  }
  if (schema?.const !== undefined) {
    return escape(json(schema.const));
  }
  if (rest && !schema.properties && typeText(rest)) {
    return `object of ${typeText(rest)}`;
  }
  return [type ?? []].flat().join(' | ');
}

const type = (schema) => `<code>${typeText(schema)}</code>`;

const limitKeywords = ['format', 'minimum', 'exclusiveMinimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'default'];

function limits(schema) {
  const rules = resolve(schema);
  const shown = limitKeywords.filter((keyword) => keyword in rules).map((keyword) => [keyword, text(rules[keyword])]);
  if (rules.enum) {
    shown.unshift(['enum', rules.enum.map(text).join(', ')]);
  }
  return shown.map(([keyword, value]) => ` <code>${keyword}: ${escape(value)}</code>`).join('');
}

// fields returns the rows of an object's fields, those of inner objects after them.
function fields(schema, prefix = '') {
  const object = resolve(schema);
  return Object.entries(object.properties ?? {}).flatMap(([key, value]) => {
    const inner = value.$ref || refName(value.items) ? [] : fields(value.items ?? value, prefix + key + (value.items ? '[].' : '.'));
    return [`<tr><th scope="row">${code(prefix + key)}${when(object.required?.includes(key), ' <span class="badge">required</span>')}</th>
<td>${type(value)}</td><td>${described(resolve(value).description)}${limits(value)}</td></tr>`, ...inner];
  });
}

const scrolled = (columns, rows) => `<div class="table-scroll"><table class="stack"><thead><tr>${
  columns.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`;

function fieldTable(schema) {
  const rows = fields(schema);
  return when(rows.length, scrolled(['Field', 'Type', 'Description'], rows));
}

const places = {path: 'in the path', query: 'in the query', header: 'in a header'};

const parameterTable = (parameters) => scrolled(['Name', 'Type', 'Description', 'Example'], parameters.map((p) =>
  `<tr><th scope="row">${code(p.name)} <span class="muted small-text">${places[p.in]}</span>${when(p.required, ' <span class="badge warning">required</span>')}</th>
<td>${type(p.schema)}</td><td>${described(p.description)}${limits(p.schema)}</td><td data-label="Example:">${code(text(p.example))}</td></tr>`));

const examples = (content) => Object.values(content.examples ?? {}).map(resolve);

const exampleList = (content) => each(examples(content), ({summary, value}) =>
  `<details><summary>Example: <span>${escape(summary.trim())}</span></summary><pre><code>${escape(json(value))}</code></pre></details>`);

const mediaType = (media) => `<span class="muted small-text">${media}</span>`;

// failure returns the codes and messages of a failed response.
function failure(content) {
  const codes = (content.schema.allOf ?? []).flatMap((part) => (part.$ref ? [] : (part.properties?.code?.enum ?? [])));
  return `<p>Body: ${type(content.schema)}${when(codes.length, `, <code>code</code>: ${codes.map(code).join(', ')}`)}</p>
<ul class="listed">${each(examples(content), ({summary, value}) =>
    `<li>${when(value.code, `${code(value.code)} `)}<span>${escape(summary.trim())}</span> <q lang="pl">${escape(value.error ?? '')}</q></li>`)}</ul>`;
}

const usedHeaders = {}; // the name under which each component is used first

function responseHeaders(headers) {
  return each(Object.entries(headers), ([header, value]) => {
    usedHeaders[refName(value)] ??= header;
    return `<li><a href="#header-${refName(value)}">${code(`${header}: ${text(resolve(value).example)}`)}</a></li>`;
  });
}

function response([status, listed]) {
  const {description, content = {}, headers} = resolve(listed);
  const failed = status === 'default' || status >= '400';
  return `<dt><span class="badge ${failed ? 'bad' : 'good'}">${status === 'default' ? 'any other' : status}</span></dt>
<dd>${described(description)}
${each(Object.entries(content), ([media, c]) => (failed ? failure(c) : `<p>Body: ${type(c.schema)} ${mediaType(media)}</p>\n${exampleList(c)}`))}
${when(headers, `<ul class="headers" aria-label="Response headers">${responseHeaders(headers ?? {})}</ul>`)}</dd>`;
}

function requestBody({description, required, content}) {
  return `<h4>Request body${when(required, ' <span class="badge warning">required</span>')}</h4>
${described(description)}${each(Object.entries(content), ([media, c], i) => `<p>${when(c.schema, `${type(c.schema)} `)}${mediaType(media)}</p>
${when(i === 0, fieldTable(c.schema))}${exampleList(c)}`)}`;
}

function tryForm(id, method, path, parameters, body) {
  const inputs = each(parameters.filter((p) => p.name !== 'X-Request-Id'), (p) =>
    `<div class="field"><label for="${id}-${p.name}">${code(p.name)}</label>
<input id="${id}-${p.name}" name="${p.name}" data-in="${p.in}"${when(p.required, ' required')} ${p.in === 'path' ? 'value' : 'placeholder'}="${escape(text(p.example))}"></div>`);
  const textarea = each(Object.entries(body?.content ?? {}).slice(0, 1), ([media, c]) =>
    `<div class="field"><label for="${id}-body">Body (${media})</label>
<textarea id="${id}-body" rows="6" data-type="${media}">${each(examples(c).slice(0, 1), ({value}) => escape(json(value)))}</textarea></div>`);
  return `<details class="try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}">
${inputs}
${textarea}
<button class="button compact">Send request</button>
<div class="answer" role="status"></div>
</form></details>`;
}

function operation(path, method, item) {
  const o = item[method];
  const id = o.operationId;
  const parameters = [...(item.parameters ?? []), ...(o.parameters ?? [])].map(resolve);
  return `<details class="card operation"><summary><h3><span class="badge method-${method.toUpperCase()}">${method.toUpperCase()}</span> ${code(path)} <span class="muted small-text" lang="en">${escape(o.summary)}</span></h3></summary>
<div id="${id}">${described(o.description)}
<p><a href="#${id}" aria-label="Link to operation ${id}"><code>#${id}</code></a></p>
${when(o.security?.length, '<p><span class="badge warning">Login required</span></p>')}
${when(parameters.length, `<h4>Parameters</h4>${parameterTable(parameters)}`)}
${when(o.requestBody, o.requestBody && requestBody(o.requestBody))}
<h4>Responses</h4>
<dl class="responses">${each(Object.entries(o.responses), response)}</dl>
${tryForm(id, method.toUpperCase(), path, parameters, o.requestBody)}
</div></details>`;
}

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'];

const group = (tag) => `<h2><span>${tag.name}</span></h2>
<p>${escape(tag.description)}</p>
${each(Object.entries(api.paths), ([path, item]) =>
    each(methods.filter((method) => item[method]?.tags[0] === tag.name), (method) => operation(path, method, item)))}`;

const schema = ([id, value]) => `<details class="schema"><summary><h3>${code(id)}</h3></summary>
<div id="schema-${id}"><p><a href="#schema-${id}" aria-label="Link to schema ${id}"><code>#schema-${id}</code></a> ${type(value)}${limits(value)}</p>
${described(value.description)}${fieldTable(value)}</div></details>`;

function header([component, name]) {
  const {description, schema: value, example} = api.components.headers[component];
  return `<details class="schema"><summary><h3>${code(`${name}: ${text(example)}`)}</h3></summary>
<div id="header-${component}">${described(description)}<p>${type(value)}${limits(value)}</p></div></details>`;
}

const page = `<!-- contract: sha256 ${createHash('sha256').update(contract).digest('hex')} -->
<p>Version ${api.info.version}. OpenAPI document: <a href="/openapi/${name}.yaml" download="${name}.openapi.yaml">/openapi/${name}.yaml</a>.</p>
<section class="card" aria-label="${escape(api.info.title)}">${markdown(api.info.description)}</section>
${each(api.tags, group)}
<h2>Schemas</h2>
${each(Object.entries(api.components.schemas), schema)}
<h2>Response headers</h2>
${each(Object.entries(usedHeaders), header)}
`;
process.stdout.write(page.replace(/\n{2,}/g, '\n'));
