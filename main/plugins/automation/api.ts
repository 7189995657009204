// What other plugins may ask of automation, and how they add node types. Types only.
import type { z } from 'zod'
import type { RunStatus, TriggerType, actionCategories } from '#shared/contracts/automation.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'

/** Nodes and edges: a flow, or the body of a node. */
export interface GraphSource {
  readonly nodes?: readonly Readonly<Record<string, unknown>>[]
  readonly edges?: readonly Readonly<Record<string, unknown>>[]
}

/** A finding about a node's configuration; `path` is inside of `config`. */
export interface ConfigProblem {
  readonly path: string
  readonly code: string
  readonly message: string
}

/** What the check of a node may ask. */
export interface ConfigCheck {
  hasObject(name: string): boolean
  hasField(object: string, field: string): boolean
  hasFlow(name: string): boolean
  /** Why an address cannot be reached from here whatever its name leads to; undefined when it may be. */
  targetProblem(url: string): string | undefined
}

/** What a node hands back. */
export interface NodeOutcome {
  /** A JSON value; undefined counts as null. */
  readonly output?: unknown
  /** The edge with this label is followed. */
  readonly label?: string
  /** Variables of the run that get another value. */
  readonly variables?: Readonly<Record<string, unknown>>
  /** Written in the transaction that ends the step, once. */
  readonly commit?: (tx: Tx) => void
  /** The step waits: it goes on when its run is resumed. */
  readonly pause?: NodePause
}

/** How a step waits. */
export interface NodePause {
  /** `screen`, `signal`, `time`, `condition`, `subflow`, `approval` or a word of the plugin's own. */
  readonly type: string
  /** Shown as `waitingFor`, beside the type. */
  readonly details?: Readonly<Record<string, unknown>>
  /** The signal that resumes it. */
  readonly signal?: string
  /** When it goes on by itself, ISO 8601. */
  readonly resumeAt?: string
  /** What happens then; default `continue`. */
  readonly onTimeout?: 'fail' | 'continue'
}

/** One execution of a node. */
export interface NodeCall<C = Readonly<Record<string, unknown>>> {
  /** With the rights the run has: the user's, or those of the system. Its signal is aborted at the node's time limit. */
  readonly ctx: RequestContext
  readonly run: { readonly id: string; readonly flowName: string; readonly userId: string | null }
  readonly node: { readonly id: string; readonly label: string }
  /** Names this place in the run, also over restarts: `loop[2].send`. */
  readonly key: string
  /** Templates filled in, and checked against the schema. */
  readonly config: C
  /** The object and record that started the run. */
  readonly subject: { readonly object: string | null; readonly recordId: string | null }
  readonly variables: Readonly<Record<string, unknown>>
  /** Evaluates CEL over what the node sees. @throws ExpressionError */
  evaluate(source: unknown): unknown
  /**
   * Fills the templates of a value that comes from elsewhere.
   * @param locals names they see beside those of the node
   * @param write how the texts of their values are written
   * @throws ExpressionError
   */
  fill(value: unknown, locals?: Readonly<Record<string, unknown>>, write?: (text: string) => string): unknown
  /**
   * Ends the step inside a transaction of the node's own, so that what it wrote and its end are stored together. The
   * node hands back the same outcome afterwards. @throws when the run has ended meanwhile: nothing may stay
   */
  finish(tx: Tx, outcome: NodeOutcome): void
  /** Runs nodes inside of this one; answers the output of the last. */
  body(graph: GraphSource, place: BodyPlace): Promise<unknown>
  /** The text of a credential, sealed or not, for a request to an address. @throws permission_denied for another host's */
  open(value: unknown, url: string): Promise<string>
}

/** Where a body runs. */
export interface BodyPlace {
  /** Part of the keys of its steps. */
  readonly path: string
  readonly iteration?: number
  /** Names its expressions see beside the variables. */
  readonly locals?: Readonly<Record<string, unknown>>
  /** Bodies of the same node run at the same time. */
  readonly isBeside?: true
}

/** A node type; `registerNodeType` adds those of plugins. */
export interface NodeType<C = Readonly<Record<string, unknown>>> {
  readonly type: string
  readonly version: string
  readonly name: string
  readonly description: string
  readonly icon: string
  readonly category: (typeof actionCategories)[number]
  /** Of the configuration; also the JSON Schema of the catalogue. */
  readonly configSchema: z.ZodType<C>
  readonly outputSchema?: z.ZodType
  /**
   * What happens to the world: nothing, only what is stored with the step's end, or something else. A node of the last
   * kind that was in flight when the process ended fails with reason `interrupted`, unless it says `idempotent`.
   */
  readonly effect: 'none' | 'transaction' | 'external'
  readonly supportsPause?: boolean
  readonly supportsCancellation?: boolean
  readonly supportsRetry?: boolean
  /** Milliseconds; null: no limit of its own. Default 30,000. */
  readonly timeoutMs?: number | null
  /** Members of the configuration whose texts are no templates. */
  readonly verbatim?: readonly string[]
  /** Members, or dotted paths of them, that hold filters: templates inside of these stand for values alone. */
  readonly filters?: readonly string[]
  /** Members that hold CEL. */
  readonly expressions?: readonly string[]
  /** Bodies inside of the configuration, by their path in it. */
  readonly bodies?: (config: Readonly<Record<string, unknown>>) => readonly { path: string; graph: GraphSource }[]
  /** Names the bodies' expressions see, and those the node sets. */
  readonly names?: (config: Readonly<Record<string, unknown>>) => readonly string[]
  readonly check?: (config: Readonly<Record<string, unknown>>, ask: ConfigCheck) => readonly ConfigProblem[]
  execute(call: NodeCall<C>): Promise<NodeOutcome> | NodeOutcome
}

/** What starts a run. */
export interface StartInput {
  readonly record?: Readonly<Record<string, unknown>> | null
  readonly object?: string
  readonly recordId?: string
  readonly event?: string
  readonly userId?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** How a run stands. */
export interface RunState {
  readonly runId: string
  readonly status: RunStatus
  readonly output?: unknown
  readonly error?: { readonly code: string; readonly message: string; readonly nodeId?: string }
}

/** Flows of the workspace. */
export interface AutomationService {
  /**
   * Adds a node type, or carries out one that is only declared; lasts as long as the host.
   * @throws Error when the type has somebody who carries it out
   */
  registerNodeType(type: NodeType): void
  /**
   * Starts a flow as D-156 says and waits for its end.
   * @param options `waitMs` 0 answers at once
   * @throws flow_not_found, flow_disabled, validation_error, concurrent_execution_limit
   */
  trigger(
    ctx: RequestContext,
    flow: string,
    input: StartInput,
    options: { readonly waitMs: number; readonly type?: TriggerType },
  ): Promise<RunState>
  /**
   * Starts a flow for a change of a record; nobody waits for it, and it runs when its turn comes. A flow that runs as a
   * user has the rights of `input.userId`, else of its last saver.
   * @param also written together with the run
   * @throws flow_not_found, flow_disabled, validation_error, resource_not_found for a record its user may not read
   */
  startLater(ctx: RequestContext, flow: string, input: StartInput, also: (tx: Tx) => void): Promise<void>
  /**
   * Resumes a step that a plugin's node left waiting, inside the caller's transaction.
   * @returns false when it does not wait (any more)
   */
  resumeStep(
    tx: Tx,
    step: { readonly runId: string; readonly key: string },
    outcome: { readonly output?: unknown; readonly label?: string },
  ): boolean
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    automation: AutomationService
  }
}
