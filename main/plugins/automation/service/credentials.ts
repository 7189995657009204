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

/** The flow with every credential sealed. */
export async function sealCredentials<T extends GraphSource>(flow: T, secrets: SecretStore): Promise<T> {
  const texts = new Set<string>()
  visit(flow, '', (value) => {
    if (typeof value === 'string' && !isTemplate(value)) texts.add(value)
    return value
  })
  if (texts.size === 0) return flow
  const sealed = new Map<string, Sealed>()
  for (const text of texts) sealed.set(text, { sealed: await secrets.seal(text) })
  return visit(flow, '', (value) => (typeof value === 'string' ? (sealed.get(value) ?? value) : value)) as T
}

/**
 * The text of a credential.
 * @throws service_unavailable when it was sealed on another machine
 */
export async function openCredential(value: unknown, secrets: SecretStore): Promise<string> {
  if (!isSealed(value)) return String(value as string)
  try {
    return await secrets.open(value.sealed)
  } catch (error) {
    const message = 'The credential was sealed on another machine; save it again here.'
    throw platformError('service_unavailable', { reason: 'secret_store', message }, error)
  }
}

/** A copy in which every credential, also of nodes inside of nodes, is what `change` makes of it. */
function visit(graph: GraphSource, at: string, change: (value: unknown, path: string) => unknown): GraphSource {
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
  change: (value: unknown, path: string) => unknown,
): Readonly<Record<string, unknown>> {
  const { auth } = config
  const credentials = isMap(auth) ? auth['credentials'] : undefined
  const entries = Object.entries(config).map(([name, value]): [string, unknown] => {
    if (name === 'auth' && isMap(auth) && isMap(credentials)) {
      const changed = Object.entries(credentials).map(([member, one]) => [
        member,
        openMembers.has(member) ? one : change(one, `${at}.auth.credentials.${member}`),
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
