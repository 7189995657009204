// The API documents as one page: plain HTML and CSS, no script. Reads an OpenAPI document and nothing else.
import { hash } from 'node:crypto'
import { resolved } from './openapi.ts'
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, OpenApiResponse } from './openapi.ts'
import type { JsonSchema } from './openapi-schemas.ts'
import { docsStyle } from './docs-style.ts'

/** Policy of the page: its one style sheet by hash, nothing else. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', docsStyle, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Deprecated names answers point to by `Link: rel="deprecation"` (D-202). */
const deprecated = [
  ['filters', 'Query parameter of the record list. Use filter.'],
  ['orderBy', 'Query parameter of the record list. Use sort.'],
  ['apiName', 'Member of the discovery manifest. Use name.'],
] as const

/** Renders the page. */
export function renderDocsPage(document: OpenApiDocument): string {
  const groups = groupByTag(document)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(document.info.title)}</title>
<style>${docsStyle}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the operations</a>
<header>
<h1>${escape(document.info.title)} <span class="version">${escape(document.info.version)}</span></h1>
<p>${escape(document.info.description)}</p>
<p>Requests carry <code>Authorization: Bearer</code> with the token of the running host, unless an operation is marked public. The same as data: <a href="openapi.json">openapi.json</a>.</p>
</header>
<div class="columns">
<nav aria-label="Operations">
${groups.map(navGroup).join('\n')}
<h2><a href="#schemas">Schemas</a></h2>
<h2><a href="#deprecations">Deprecations</a></h2>
</nav>
<main id="content">
${groups.map(section).join('\n')}
<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${Object.entries(document.components.schemas).map(schemaEntry).join('\n')}
</section>
<section aria-labelledby="deprecations">
<h2 id="deprecations">Deprecations</h2>
<p>These keep working for at least twelve months after they were announced.</p>
<dl>
${deprecated.map(([name, text]) => `<dt id="${name}"><code>${name}</code></dt><dd>${escape(text)}</dd>`).join('\n')}
</dl>
</section>
</main>
</div>
</body>
</html>
`
}

interface Entry {
  method: string
  path: string
  operation: OpenApiOperation & {
    parameters: OpenApiParameter[]
    responses: Record<string, OpenApiResponse>
  }
}

interface Group {
  tag: string
  entries: Entry[]
}

function groupByTag(document: OpenApiDocument): Group[] {
  const groups = new Map<string, Entry[]>(document.tags.map(({ name }) => [name, []]))
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, written] of Object.entries(item)) {
      const parameters = (written.parameters ?? []).map((part) => resolved(document, part))
      const answers = Object.entries(written.responses).map(([status, part]) => [status, resolved(document, part)])
      const operation = {
        ...written,
        parameters,
        responses: Object.fromEntries(answers) as Entry['operation']['responses'],
      }
      for (const tag of operation.tags) groups.get(tag)?.push({ method: method.toUpperCase(), path, operation })
    }
  }
  return [...groups].map(([tag, entries]) => ({ tag, entries }))
}

function navGroup({ tag, entries }: Group): string {
  const items = entries.map(
    ({ method, operation }) =>
      `<li><a href="#${operation.operationId}">${badge(method)} ${escape(operation.operationId)}</a></li>`,
  )
  return `<h2><a href="#tag-${escape(tag)}">${escape(tag)}</a></h2>\n<ul>\n${items.join('\n')}\n</ul>`
}

function section({ tag, entries }: Group): string {
  return `<section aria-labelledby="tag-${escape(tag)}">\n<h2 id="tag-${escape(tag)}">${escape(tag)}</h2>\n${entries.map(article).join('\n')}\n</section>`
}

function article({ method, path, operation }: Entry): string {
  const marks = [
    operation.security === undefined ? '' : '<span class="mark">public</span>',
    operation.deprecated === true ? '<span class="mark">deprecated</span>' : '',
  ].join('')
  const [success] = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
  const failures = Object.entries(operation.responses).filter(([status]) => !status.startsWith('2'))
  return `<article id="${operation.operationId}">
<h3>${badge(method)} <code class="path">${escape(path).replaceAll('/', '/<wbr>')}</code> ${marks}</h3>
<p>${escape(operation.summary)}</p>
${parameterTable(operation.parameters)}
${operation.requestBody === undefined ? '' : Object.entries(operation.requestBody.content).map(bodyBlock(operation.requestBody.required)).join('\n')}
${success === undefined ? '' : `<h4>Answer ${success[0]}</h4>\n${headersOf(success[1])}${contentOf(success[1].content)}`}
<details><summary>Errors of ${escape(operation.operationId)}</summary>
<table><thead><tr><th scope="col">Status</th><th scope="col">Codes</th></tr></thead><tbody>
${failures.map(([status, response]) => `<tr><td>${escape(status)}</td><td>${(response['x-error-codes'] ?? []).map((code) => `<code>${escape(code)}</code>`).join(' ')}</td></tr>`).join('\n')}
</tbody></table></details>
</article>`
}

function bodyBlock(required: boolean): (entry: [string, { schema: JsonSchema }]) => string {
  return ([type, { schema }]) =>
    `<h4>Body <span class="type">${escape(type)}${required ? '' : ', optional'}</span></h4>\n${schemaBlock(schema)}`
}

function headersOf({ headers = {} }: OpenApiResponse): string {
  const names = Object.keys(headers).map((name) => `<code>${escape(name)}</code>`)
  return names.length === 0 ? '' : `<p>Headers: ${names.join(' ')}</p>\n`
}

function contentOf(content: Record<string, { schema: JsonSchema }> | undefined): string {
  return Object.entries(content ?? {})
    .map(([type, { schema }]) =>
      type === 'application/json' ? schemaBlock(schema) : `<p><code>${escape(type)}</code></p>`,
    )
    .join('\n')
}

function parameterTable(parameters: readonly OpenApiParameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(
    (parameter) =>
      `<tr><td><code>${escape(parameter.name)}</code>${parameter.required ? required : ''}</td><td>${parameter.in}</td><td>${typeText(parameter.schema)}</td><td>${escape(parameter.description ?? '')}</td></tr>`,
  )
  return `<h4>Parameters</h4>\n<table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`
}

const required = ' <span class="required">required</span>'

function schemaEntry([name, schema]: [string, JsonSchema]): string {
  return `<article id="schema-${escape(name)}">\n<h3>${escape(name)}</h3>\n${schemaBlock(schema)}\n</article>`
}

/** An object's members as a table, everything else as its type in words. */
function schemaBlock(schema: JsonSchema): string {
  const description = typeof schema['description'] === 'string' ? `<p>${escape(schema['description'])}</p>\n` : ''
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)
  if (properties.length === 0) return `${description}<p>${typeText(schema)}</p>`
  const needed = new Set((schema['required'] ?? []) as string[])
  const rows = properties.map(([name, property]) => {
    const text = typeof property['description'] === 'string' ? escape(property['description']) : ''
    return `<tr><td><code>${escape(name)}</code>${needed.has(name) ? required : ''}</td><td>${typeText(property)}</td><td>${text}</td></tr>`
  })
  return `${description}<table><thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`
}

/** A schema's type in words, with links to components. */
function typeText(schema: JsonSchema): string {
  const ref = schema['$ref']
  if (typeof ref === 'string') {
    const name = ref.slice(ref.lastIndexOf('/') + 1)
    return `<a href="#schema-${escape(name)}">${escape(name)}</a>`
  }
  if ('const' in schema) return `<code>${escape(JSON.stringify(schema['const']))}</code>`
  const choices = schema['enum']
  if (Array.isArray(choices)) return choices.map((choice) => `<code>${escape(String(choice))}</code>`).join(' | ')
  const options = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(options)) return options.map((option) => typeText(option as JsonSchema)).join(' or ')
  const places = schema['prefixItems']
  if (Array.isArray(places)) return `[${places.map((place) => typeText(place as JsonSchema)).join(', ')}]`
  if (schema['type'] === 'array') return `list of ${typeText((schema['items'] ?? {}) as JsonSchema)}`
  if (schema['type'] === 'object') return objectText(schema)
  const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'default']
    .filter((key) => schema[key] !== undefined && Math.abs(Number(schema[key])) !== Number.MAX_SAFE_INTEGER)
    .map((key) => `${key} ${escape(JSON.stringify(schema[key]))}`)
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'any value'
  return escape(type) + (bounds.length === 0 ? '' : ` <span class="bounds">${bounds.join(', ')}</span>`)
}

function objectText(schema: JsonSchema): string {
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)
  if (members.length > 0) {
    const needed = new Set((schema['required'] ?? []) as string[])
    const items = members.map(
      ([name, inner]) => `<li><code>${escape(name)}</code>${needed.has(name) ? required : ''}: ${typeText(inner)}</li>`,
    )
    return `object<ul class="members">${items.join('')}</ul>`
  }
  const values = schema['additionalProperties']
  if (typeof values === 'object' && values !== null) return `map of ${typeText(values as JsonSchema)}`
  return 'object'
}

function badge(method: string): string {
  return `<span class="method ${method.toLowerCase()}">${method}</span>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
