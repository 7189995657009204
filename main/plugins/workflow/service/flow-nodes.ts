// The nodes of flows that ask for approvals and make transitions (D-151). Knows no flow; they work with the rights of the
// run.
import { z } from 'zod'
import { validationError } from '#shared/errors.ts'
import type { ApprovalDefinition } from '#shared/rules/approval-definition.ts'
import { approvalShape } from '#shared/rules/approval-definition.ts'
import type { NodeOutcome, NodeType } from '#main/plugins/automation/api.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { WorkflowService } from '../api.ts'
import type { Approvals } from './approvals.ts'
import type { Machines } from './machines.ts'
import type { States } from './states.ts'

/** What the nodes work with. */
export interface NodeParts {
  readonly data: Pick<DataService, 'requireRecord'>
  readonly machines: Machines
  readonly states: Pick<States, 'whole'>
  readonly approvals: Pick<Approvals, 'open'>
  readonly workflow: WorkflowService
}

const ApprovalConfig = z.looseObject({
  object: z.string().min(1).optional(),
  recordId: z.string().min(1).optional(),
  comment: z.string().max(10_000).optional(),
  ...approvalShape,
})
const TransitionConfig = z.looseObject({
  object: z.string().min(1),
  recordId: z.string().min(1),
  transition: z.string().min(1),
  workflow: z.string().optional(),
  comment: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
})

/** Makes the node types. */
export function workflowNodes({ data, machines, states, approvals, workflow }: NodeParts): NodeType[] {
  const approval: NodeType<z.output<typeof ApprovalConfig>> = {
    type: 'approval',
    version: '1.0.0',
    name: 'Approval',
    description: 'Waits until people approve or reject; edges are labelled approve and reject.',
    icon: 'checks',
    category: 'human',
    configSchema: ApprovalConfig,
    effect: 'transaction',
    supportsPause: true,
    async execute({ config, ctx, run, node, key, subject }) {
      const object = config.object ?? subject.object
      const recordId = config.recordId ?? subject.recordId
      if (object === null || recordId === null) {
        const message = 'The run has no record: name the object and the record to approve.'
        throw validationError([{ field: 'config.recordId', code: 'required', message }])
      }
      const schema = machines.requireObject(ctx, object)
      const { id } = data.requireRecord(ctx, { object, id: recordId, action: 'edit' })
      const record = await states.whole(object, id)
      const { approvers, behavior, lockRecord, escalation, requireRejectReason } = config
      const definition: ApprovalDefinition = {
        approvers,
        behavior,
        lockRecord,
        requireRejectReason,
        ...(escalation === undefined ? {} : { escalation }),
      }
      return {
        pause: { type: 'approval', details: { object, recordId: id } },
        commit(tx) {
          approvals.open(tx, ctx, {
            schema,
            record,
            definition,
            submitterId: run.userId ?? ctx.actor.id,
            comment: config.comment,
            flow: { runId: run.id, nodeId: node.id, key },
          })
        },
      }
    },
  }

  const transition: NodeType<z.output<typeof TransitionConfig>> = {
    type: 'transition',
    version: '1.0.0',
    name: 'Transition',
    description: 'Moves a record to another state of its workflow.',
    icon: 'arrow-right-circle',
    category: 'data',
    configSchema: TransitionConfig,
    effect: 'transaction',
    async execute({ config, ctx, finish }) {
      const { object, recordId, transition: name, workflow: machine, comment, data: values } = config
      const input = { object, recordId, transition: name, workflow: machine, comment, data: values }
      let outcome: NodeOutcome = {}
      await workflow.transition(ctx, input, (tx, end) => {
        outcome = { output: end }
        finish(tx, outcome)
      })
      return outcome
    },
  }
  return [approval, transition] as unknown as NodeType[]
}
