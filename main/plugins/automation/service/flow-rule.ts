// What a flow must be to be saved, whichever way it comes: by its own endpoints or as an item of metadata (D-146 to D-148).
import type { FieldError } from '#shared/errors.ts'
import { platformError, validationError } from '#shared/errors.ts'
import { reservedFlowNames } from '#shared/contracts/automation.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { ItemRule, MetadataService } from '#main/plugins/metadata/api.ts'
import type { ConfigCheck, GraphSource } from '../api.ts'
import { automationError } from '../errors.ts'
import { flowProblems, structuralProblems } from './check-flow.ts'
import { plainCredentials } from './credentials.ts'
import type { FlowStatus } from './flow.ts'
import { readFlow, statusOf } from './flow.ts'
import type { NodeTypes } from './node-types.ts'

/** What the rule asks. */
export interface RuleParts {
  readonly metadata: Pick<MetadataService, 'get'>
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

/** Makes the rule. @throws by the rule: flow_validation_failed, invalid_state_transition, permission_denied */
export function flowRule({ metadata, types, check, isAdministrator }: RuleParts): ItemRule {
  return (ctx, { name, item }, schemaOf) => {
    const known: ConfigCheck = {
      ...check,
      // Objects that come in the same write count.
      hasObject: (object) => schemaOf(object) !== undefined,
      hasField: (object, field) => schemaOf(object)?.byName.has(field) === true,
    }
    const problems = nameProblems(name)
    if (item['status'] === 'invalid')
      problems.push({
        field: 'status',
        code: 'not_allowed',
        message: 'Only the host calls a flow invalid.',
        value: 'invalid',
      })
    for (const path of plainCredentials(item as GraphSource))
      problems.push({
        field: path,
        code: 'not_allowed',
        message: 'Credentials are sealed by POST and PUT /automation; send them there.',
      })
    if (problems.length > 0) throw validationError(problems)
    const flow = readFlow(name, item)
    const before = metadata.get('flow', name)
    if (before !== undefined) requireTransition(statusOf(before.item), flow.status)
    if (flow.runAs === 'system' && !isAdministrator(ctx))
      throw platformError('permission_denied', { reason: 'run_as_system', required: 'administrator' })
    const errors = flow.status === 'active' ? flowProblems(flow, { ...known, types }) : structuralProblems(flow)
    if (errors.length > 0) throw automationError('flow_validation_failed', { errors })
    return []
  }
}

function nameProblems(name: string): FieldError[] {
  if (!(reservedFlowNames as readonly string[]).includes(name)) return []
  return [{ field: 'name', code: 'not_allowed', message: 'The name is reserved.', value: name }]
}

/** @throws invalid_state_transition */
function requireTransition(from: FlowStatus, to: FlowStatus): void {
  if (from === to || transitions[from].includes(to)) return
  throw platformError('invalid_state_transition', { from, to, allowed: transitions[from] })
}
