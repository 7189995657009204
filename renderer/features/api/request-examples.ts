// Owns the same list of records in every language it can be asked for in: each text stands by itself and can be run. Pure.
import type { AskedRecords } from './asked-records.ts'
import { NoWords } from './asked-records.ts'
import { graphqlExample } from './graphql-example.ts'
import { odataExample } from './odata-example.ts'

/** The languages, in the order they are offered. */
export const exampleKinds = ['rest', 'graphql', 'odata', 'javascript', 'python', 'curl'] as const

/** One of {@link exampleKinds}. */
export type ExampleKind = (typeof exampleKinds)[number]

/** The body of the query as the data endpoints take it. @source D-75 */
export function restQuery({ filter, sort, search, fields, top }: AskedRecords): Record<string, unknown> {
  return {
    ...(filter === undefined ? {} : { filter }),
    ...(sort.length === 0 ? {} : { sort }),
    ...(search === '' ? {} : { search }),
    select: ['id', ...fields.map(({ name }) => name).filter((name) => name !== 'id')],
    top,
  }
}

/** The text of an example; null where the language has no words for what is asked. */
export function requestExample(kind: ExampleKind, asked: AskedRecords): string | null {
  try {
    return writers[kind](asked)
  } catch (error) {
    if (error instanceof NoWords) return null
    throw error
  }
}

const writers: Readonly<Record<ExampleKind, (asked: AskedRecords) => string>> = {
  rest: (asked) =>
    [
      `POST ${asked.prefix}/data/${asked.object}/query HTTP/1.1`,
      `Host: ${new URL(asked.baseUrl).host}`,
      'Authorization: Bearer $CAIRN_API_KEY',
      'Content-Type: application/json',
      '',
      JSON.stringify(restQuery(asked), null, 2),
    ].join('\n'),
  graphql: graphqlExample,
  odata: odataExample,
  javascript: (asked) => `const answer = await fetch('${addressOf(asked)}', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.CAIRN_API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indented(JSON.stringify(restQuery(asked), null, 2), 2)}),
})
if (!answer.ok) throw new Error(await answer.text())
const { records } = await answer.json()
console.log(JSON.stringify(records))`,
  python: (asked) => `import json
import os
import urllib.request

query = ${pythonOf(restQuery(asked), 0)}
request = urllib.request.Request(
    "${addressOf(asked)}",
    data=json.dumps(query).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["CAIRN_API_KEY"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as answer:
    records = json.load(answer)["records"]
print(json.dumps(records))`,
  curl: (asked) =>
    [
      `curl --silent --show-error --fail-with-body '${addressOf(asked)}'`,
      `-H "Authorization: Bearer $CAIRN_API_KEY"`,
      `-H 'Content-Type: application/json'`,
      `--data-raw '${JSON.stringify(restQuery(asked)).replaceAll("'", String.raw`'\''`)}'`,
    ].join(' \\\n  '),
}

function addressOf({ baseUrl, prefix, object }: AskedRecords): string {
  return `${baseUrl}${prefix}/data/${object}/query`
}

function indented(text: string, by: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(by)}`)
}

const pythonWords = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
])

function pythonOf(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return pythonWords.get(value) ?? JSON.stringify(value)
  const pad = ' '.repeat(4 * (depth + 1))
  const [entries, open, close] = Array.isArray(value)
    ? [value.map((one) => pythonOf(one, depth + 1)), '[', ']']
    : [Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonOf(one, depth + 1)}`), '{', '}']
  if (entries.length === 0) return open + close
  const isShort = entries.every((entry) => !entry.includes('\n')) && entries.join(', ').length < 80
  if (isShort) return `${open}${entries.join(', ')}${close}`
  return `${open}\n${entries.map((entry) => `${pad}${entry},`).join('\n')}\n${' '.repeat(4 * depth)}${close}`
}
