// What a flow must be to be saved, whichever way it comes: by its own endpoints or as an item of metadata (D-146 to D-148).
import type { FieldError } from '#shared/errors.ts'
import { platformError, validationError } from '#shared/errors.ts'
import { reservedFlowNames } from '#shared/contracts/automation.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { whyNotLent } from '#main/kernel/identity.ts'
import type { ItemRule, MetadataService } from '#main/plugins/metadata/api.ts'
import type { ConfigCheck, GraphSource } from '../api.ts'
import { automationError } from '../errors.ts'
import type { FlowProblem } from './check-flow.ts'
import { flowProblems, structuralProblems } from './check-flow.ts'
import { plainCredentials } from './credentials.ts'
import type { FlowStatus } from './flow.ts'
import { readFlow, statusOf } from './flow.ts'
import type { NodeTypes } from './node-types.ts'

/** What the rule asks. */
export interface RuleParts {
  readonly metadata: Pick<MetadataService, 'get' | 'objectSchema'>
  readonly types: NodeTypes
  readonly check: ConfigCheck
  readonly isAdministrator: (ctx: RequestContext) => boolean
}

/** To which states an author may take a flow from each (D-147). */
const transitions: Readonly<Record<FlowStatus, readonly FlowStatus[]>> = {
  draft: ['active', 'obsolete'],
  active: ['draft', 'obsolete'],
  obsolete: ['active'],
  invalid: ['draft', 'active'],
}

/** The check of a flow that is saved. */
export interface FlowRule {
  /** For saves by the endpoints of metadata: every finding is a problem of a field. */
  readonly rule: ItemRule
  /** For saves by the endpoints of flows. @throws flow_validation_failed, invalid_state_transition, validation_error */
  require(ctx: RequestContext, name: string, item: Readonly<Record<string, unknown>>): void
}

interface Verdict {
  readonly fields: readonly FieldError[]
  /** The states a change of the status that is not allowed leads from and to. */
  readonly transition: readonly [FlowStatus, FlowStatus] | null
  readonly errors: readonly FlowProblem[]
}

/** Makes the check. */
export function createFlowRule({ metadata, types, check, isAdministrator }: RuleParts): FlowRule {
  /** @throws permission_denied */
  const judge = (
    ctx: RequestContext,
    name: string,
    item: Readonly<Record<string, unknown>>,
    schemaOf: Parameters<ItemRule>[2],
  ): Verdict => {
    const known: ConfigCheck = {
      ...check,
      // Objects that come in the same write count.
      hasObject: (object) => schemaOf(object) !== undefined,
      hasField: (object, field) => schemaOf(object)?.byName.has(field) === true,
    }
    const fields = [...nameProblems(name), ...statusProblems(item), ...credentialProblems(item)]
    const flow = readFlow(name, item)
    if (flow.runAs === 'system' && !isAdministrator(ctx))
      throw platformError('permission_denied', { reason: 'run_as_system', required: 'administrator' })
    const reason = flow.runAs === 'user' && flow.type === 'schedule' ? whyNotLent(ctx) : null
    if (reason !== null) throw platformError('permission_denied', { reason })
    const before = metadata.get('flow', name)
    const from = before === undefined ? flow.status : statusOf(before.item)
    const isAllowed = from === flow.status || transitions[from].includes(flow.status)
    const errors = flow.status === 'active' ? flowProblems(flow, { ...known, types }) : structuralProblems(flow)
    return { fields, transition: isAllowed ? null : [from, flow.status], errors }
  }

  return {
    rule(ctx, { name, item }, schemaOf) {
      const { fields, transition, errors } = judge(ctx, name, item, schemaOf)
      return [
        ...fields,
        ...(transition === null ? [] : [transitionProblem(...transition)]),
        ...errors.map(({ path, code, message }): FieldError => ({
          field: path,
          code: code === 'expression_error' ? code : 'rule_violation',
          message,
        })),
      ]
    },
    require(ctx, name, item) {
      const { fields, transition, errors } = judge(ctx, name, item, metadata.objectSchema)
      if (fields.length > 0) throw validationError(fields)
      if (transition !== null) {
        const [from, to] = transition
        throw platformError('invalid_state_transition', { from, to, allowed: transitions[from] })
      }
      if (errors.length > 0) throw automationError('flow_validation_failed', { errors })
    },
  }
}

function statusProblems({ status }: Readonly<Record<string, unknown>>): FieldError[] {
  if (status !== 'invalid') return []
  return [{ field: 'status', code: 'not_allowed', message: 'Only the host calls a flow invalid.', value: status }]
}

function credentialProblems(item: Readonly<Record<string, unknown>>): FieldError[] {
  return plainCredentials(item as GraphSource).map((field) => ({
    field,
    code: 'not_allowed',
    message: 'Credentials are sealed by POST and PUT /automation; send them there.',
  }))
}

function transitionProblem(from: FlowStatus, to: FlowStatus): FieldError {
  const message = `A flow does not go from ${from} to ${to}.`
  return { field: 'status', code: 'invalid_transition', message, value: to, constraint: transitions[from] }
}

function nameProblems(name: string): FieldError[] {
  if (!(reservedFlowNames as readonly string[]).includes(name)) return []
  return [{ field: 'name', code: 'not_allowed', message: 'The name is reserved.', value: name }]
}
