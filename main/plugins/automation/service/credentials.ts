// Credentials inside of flows: sealed when a flow is saved, opened when a request is sent, so that no item, history or
// export holds them in clear.
import type { SecretStore } from '#main/kernel/ports.ts'
import { platformError } from '#shared/errors.ts'
import type { GraphSource } from '../api.ts'
import { isTemplate } from '#shared/expression/templates.ts'

/** Members of credentials that name something rather than open it. */
const openMembers: ReadonlySet<string> = new Set(['header', 'username'])

interface Sealed {
  readonly sealed: string
}

/** What becomes of a credential. @param url of the request it is for, as the flow has it */
type Change = (value: unknown, path: string, url: unknown) => unknown

function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && typeof (value as Sealed).sealed === 'string'
}

/** Paths of credentials that are written in clear; a template is none. */
export function plainCredentials(flow: GraphSource): string[] {
  const paths: string[] = []
  visit(flow, '', (value, path) => {
    if (typeof value === 'string' && !isTemplate(value)) paths.push(path)
    return value
  })
  return paths
}

/** The flow with every credential sealed, for the host its request goes to where the address says it. */
export async function sealCredentials<T extends GraphSource>(flow: T, secrets: SecretStore): Promise<T> {
  const texts = new Set<string>()
  const collect: Change = (value, _path, url) => {
    if (typeof value === 'string' && !isTemplate(value)) texts.add(boundTo(originOf(url), value))
    return value
  }
  visit(flow, '', collect)
  if (texts.size === 0) return flow
  const sealed = new Map<string, Sealed>()
  for (const text of texts) sealed.set(text, { sealed: await secrets.seal(text) })
  const replace: Change = (value, _path, url) =>
    typeof value === 'string' ? (sealed.get(boundTo(originOf(url), value)) ?? value) : value
  return visit(flow, '', replace) as T
}

/**
 * The text of a credential for a request. Whoever edits a flow cannot read it, and has it sent to no other host.
 * @throws service_unavailable when it was sealed on another machine; permission_denied for a request to another host
 */
export async function openCredential(value: unknown, url: string, secrets: SecretStore): Promise<string> {
  if (!isSealed(value)) return String(value as string)
  let text: string
  try {
    text = await secrets.open(value.sealed)
  } catch (error) {
    const message = 'The credential was sealed on another machine; save it again here.'
    throw platformError('service_unavailable', { reason: 'secret_store', message }, error)
  }
  if (!text.startsWith(boundMark)) return text
  const end = text.indexOf(' ', boundMark.length)
  if (URL.canParse(url) && new URL(url).origin === text.slice(boundMark.length, end)) return text.slice(end + 1)
  const message = 'The credential was given for another host; enter it again.'
  throw platformError('permission_denied', { reason: 'credential_moved', message })
}

/** How a credential begins that is for one host; a character nobody types stands before it. */
const boundMark = '\u0001'

function boundTo(origin: string | null, text: string): string {
  return origin === null ? text : `${boundMark}${origin} ${text}`
}

/** The origin of an address, where no template can change it. */
function originOf(url: unknown): string | null {
  const beginning = typeof url === 'string' ? /^https?:\/\/[^/?#{}\s]+(?=[/?#]|$)/i.exec(url)?.[0] : undefined
  return beginning !== undefined && URL.canParse(beginning) ? new URL(beginning).origin : null
}

/** A copy in which every credential, also of nodes inside of nodes, is what `change` makes of it. */
function visit(graph: GraphSource, at: string, change: Change): GraphSource {
  if (!Array.isArray(graph.nodes)) return graph
  const nodes = graph.nodes.map((node: unknown, index) => {
    if (!isMap(node) || !isMap(node['config'])) return node
    const path = `${at}nodes.${index}.config`
    return { ...node, config: visitConfig(node['config'], path, change) }
  })
  return { ...graph, nodes: nodes as GraphSource['nodes'] & object }
}

function visitConfig(
  config: Readonly<Record<string, unknown>>,
  at: string,
  change: Change,
): Readonly<Record<string, unknown>> {
  const { auth } = config
  const credentials = isMap(auth) ? auth['credentials'] : undefined
  const entries = Object.entries(config).map(([name, value]): [string, unknown] => {
    if (name === 'auth' && isMap(auth) && isMap(credentials)) {
      const changed = Object.entries(credentials).map(([member, one]) => [
        member,
        openMembers.has(member) ? one : change(one, `${at}.auth.credentials.${member}`, config['url']),
      ])
      return [name, { ...auth, credentials: Object.fromEntries(changed) as Record<string, unknown> }]
    }
    if (name === 'branches' && Array.isArray(value))
      return [
        name,
        value.map((one: unknown, index) => (isMap(one) ? visit(one, `${at}.branches.${index}.`, change) : one)),
      ]
    const isBody = (name === 'body' || name === 'try' || name === 'catch') && isMap(value)
    return [name, isBody ? visit(value as GraphSource, `${at}.${name}.`, change) : value]
  })
  return Object.fromEntries(entries)
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
