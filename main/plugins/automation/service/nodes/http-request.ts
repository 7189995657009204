// A request to another system, through the one sender that stays out of this machine and its networks.
import { Buffer } from 'node:buffer'
import { z } from 'zod'
import { platformError, validationError } from '#shared/errors.ts'
import type { Outbound, OutboundAnswer } from '#main/kernel/outbound.ts'
import { OutboundError } from '#main/kernel/outbound.ts'
import { automationError } from '../../errors.ts'
import type { NodeCall, NodeType } from '../../api.ts'
import { withoutTexts } from '../engine/masks.ts'
import { FreeMap, defineNodeType } from './node-type.ts'

/** Bytes of an answer a flow may go on with. */
export const maxAnswerBytes = 1_048_576

const Texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))

const Auth = z.looseObject({
  type: z.enum(['none', 'bearer', 'basic', 'api-key']).default('none'),
  credentials: FreeMap.optional(),
})

const Config = z.looseObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  url: z.string().min(1),
  headers: Texts.optional(),
  query: Texts.optional(),
  body: z.unknown().optional(),
  auth: Auth.optional(),
  timeoutMs: z.int().min(1).max(300_000).default(30_000),
  parse: z.enum(['json', 'text']).optional(),
})

/** Makes the node type. */
export function httpRequestNode(outbound: Pick<Outbound, 'send'>): NodeType {
  return defineNodeType({
    type: 'http_request',
    name: 'HTTP request',
    description: 'Sends a request to another system and takes its answer.',
    icon: 'world',
    category: 'io',
    configSchema: Config,
    outputSchema: z.object({ status: z.int(), headers: FreeMap, body: z.unknown() }),
    effect: 'external',
    timeoutMs: null,
    check({ url }, ask) {
      const problem = typeof url === 'string' && !url.includes('{{') ? ask.targetProblem(url) : undefined
      return problem === undefined
        ? []
        : [{ path: 'url', code: 'not_allowed', message: `The address is refused: ${problem}.` }]
    },
    async execute({ config, ctx, open }) {
      const { headers: given = {}, body, method } = config
      const { header, secrets } = await authOf(config, open)
      const hasBody = body !== undefined && body !== null && method !== 'GET' && method !== 'DELETE'
      const text = !hasBody ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const headers: Record<string, string> = {
        accept: '*/*',
        'user-agent': 'Cairn-Flows/1',
        ...(hasBody
          ? { 'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json' }
          : {}),
        ...lowerCase(given),
        ...header,
      }
      const answer = await outbound
        .send({
          url: withQuery(config.url, config.query),
          method,
          headers,
          timeoutMs: config.timeoutMs,
          signal: ctx.signal,
          ...(text === undefined ? {} : { body: text }),
        })
        .catch((error: unknown) => {
          throw error instanceof OutboundError ? failureOf(error) : error
        })
      if (answer.isCut)
        throw validationError([
          { field: 'body', code: 'max_length', message: `The answer has over ${maxAnswerBytes} bytes.` },
        ])
      if (answer.status >= 400)
        throw automationError('execution_failed', {
          reason: 'http_status',
          message: `The answer has status ${answer.status}.`,
        })
      const output = { status: answer.status, headers: answer.headers, body: bodyOf(answer, config.parse) }
      // What echoes a request may hold its credentials.
      return { output: withoutTexts(output, secrets) }
    },
  })
}

/** The header a credential becomes, and the texts in it nobody may read. */
async function authOf(
  { auth, url }: Pick<z.output<typeof Config>, 'auth' | 'url'>,
  open: NodeCall['open'],
): Promise<{ header: Record<string, string>; secrets: string[] }> {
  const credentials = auth?.credentials ?? {}
  const text = async (name: string): Promise<string> => {
    const value = credentials[name]
    if (value === undefined || value === null)
      throw validationError([
        { field: `config.auth.credentials.${name}`, code: 'required', message: 'The credential is missing.' },
      ])
    return open(value, url)
  }
  switch (auth?.type ?? 'none') {
    case 'bearer': {
      const token = await text('token')
      return { header: { authorization: `Bearer ${token}` }, secrets: [token] }
    }
    case 'basic': {
      const [user, password] = [await text('username'), await text('password')]
      const encoded = Buffer.from(`${user}:${password}`).toString('base64')
      return { header: { authorization: `Basic ${encoded}` }, secrets: [password, encoded] }
    }
    case 'api-key': {
      const key = await text('key')
      const name = credentials['header'] === undefined ? 'x-api-key' : await text('header')
      return { header: { [name.toLowerCase()]: key }, secrets: [key] }
    }
    default:
      return { header: {}, secrets: [] }
  }
}

function failureOf({ reason }: OutboundError): Error {
  if (reason === 'timeout') return automationError('execution_timeout', { reason: 'http_timeout' })
  if (reason === 'unreachable')
    return automationError('execution_failed', { reason, message: 'The other system was not reached.' })
  return platformError('permission_denied', { reason, message: 'The address is one that flows may not reach.' })
}

/**
 * The body as it was asked for; else as its type says, and as it came where it is not that: the request has had its effect.
 * @throws validation_error for an answer that is no JSON where JSON was asked for
 */
function bodyOf({ status, headers, body }: OutboundAnswer, asked: 'json' | 'text' | undefined): unknown {
  const content = body.toString('utf8')
  if (asked === 'text') return content
  if (content.trim() === '') return null
  if (asked === undefined && !saysJson(headers['content-type'])) return content
  try {
    return JSON.parse(content) as unknown
  } catch {
    // Where a redirect leads is in its headers; its body is for people.
    if (asked === undefined || status >= 300) return content
    throw validationError([{ field: 'body', code: 'invalid_json', message: 'The answer is no JSON; ask for text.' }])
  }
}

/** Whether a body is JSON by its type; one without a type may be. */
function saysJson(contentType: string | string[] | undefined): boolean {
  const [type = ''] = [contentType].flat()
  return type === '' || /^[^;]*[/+]json\s*(?:;|$)/i.test(type)
}

function withQuery(url: string, query: Readonly<Record<string, unknown>> | undefined): string {
  if (query === undefined || !URL.canParse(url)) return url
  const whole = new URL(url)
  for (const [name, value] of Object.entries(query)) {
    if (value !== null) whole.searchParams.set(name, String(value as string | number | boolean))
  }
  return whole.href
}

function lowerCase(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name.toLowerCase(), String(value as string | number | boolean)]),
  )
}
