// An object with a workflow that asks for a comment, for approvals and for neither; and somebody who works with it.
import type { ConsoleBench } from './open-console.ts'
import { actAs, ownerId } from './seed-activity.ts'
import { makePerson, putRight } from './seed-access.ts'

/** Defines orders and their workflow; the owner approves. */
export async function putOrders(bench: ConsoleBench): Promise<void> {
  const approval = { approvers: [{ type: 'user', value: ownerId }], requireRejectReason: true }
  const escalation = { timeoutHours: 48, action: 'notify' }
  const options = ['Draft', 'Checked', 'Ordered', 'Refused'].map((label) => ({ value: label.toLowerCase(), label }))
  const item = {
    name: 'order',
    label: 'Order',
    pluralLabel: 'Orders',
    fields: {
      title: { type: 'text', label: 'Title' },
      amount: { type: 'number', label: 'Amount' },
      due: { type: 'date', label: 'Due' },
      stage: { type: 'select', label: 'Stage', options },
    },
    validations: [
      {
        name: 'ordering',
        type: 'state_machine',
        label: 'Ordering',
        field: 'stage',
        initial: 'draft',
        states: [
          { name: 'draft', label: 'Draft', color: 'blue' },
          { name: 'checked', label: 'Checked', color: 'yellow' },
          { name: 'ordered', label: 'Ordered', color: 'green', final: true },
          { name: 'refused', label: 'Refused', color: 'red', final: true },
        ],
        transitions: [
          { name: 'check', label: 'Check', from: 'draft', to: 'checked' },
          { name: 'back', label: 'Back to draft', from: ['checked'], to: 'draft' },
          { name: 'refuse', label: 'Refuse', from: ['draft', 'checked'], to: 'refused', requiresComment: true },
          {
            name: 'order',
            label: 'Place order',
            from: 'checked',
            to: 'ordered',
            requiresApproval: true,
            approval: { ...approval, escalation },
            condition: 'record.amount > 0',
          },
        ],
      },
    ],
  }
  await bench.api('PUT', '/meta/object/order', { type: 'object', name: 'order', item })
}

/** Makes an account that may read and edit orders, and answers its id. */
export async function makeBuyer(bench: ConsoleBench, name: string, username: string): Promise<string> {
  await putRight(bench, 'permission', 'buyers', {
    label: 'Buyers',
    objects: {
      order: { allowRead: true, allowEdit: true, allowCreate: true, viewAllRecords: true, modifyAllRecords: true },
    },
  })
  const id = await makePerson(bench, name, username)
  await bench.api('PUT', `/permissions/assignments/${id}`, { profile: 'guest', roles: [], permissionSets: ['buyers'] })
  return id
}

/** Makes an order and answers its id. */
export async function makeOrder(bench: ConsoleBench, values: Record<string, unknown>): Promise<string> {
  return (await bench.api<{ id: string }>('POST', '/data/order', values)).id
}

/** Orders of a seeded workspace: two that wait for the owner, one that was rejected, one that nobody asked about. */
export async function seedWorkflows(bench: ConsoleBench): Promise<void> {
  await putOrders(bench)
  await makeBuyer(bench, 'Hedy Lamarr', 'hedy')
  const hedy = await actAs(bench, 'hedy')
  for (const title of ['Stamps', 'Chairs', 'Lamps', 'Paper']) {
    const id = await makeOrder(bench, { title, amount: title.length, due: '2027-01-15' })
    const step = (transition: string) =>
      hedy<{ state: { pendingApproval: { id: string } } }>('POST', `/workflow/order/${id}/transition`, {
        transition,
        comment: 'For the new room.',
      })
    await step('check')
    if (title === 'Stamps') continue
    const { state } = await step('order')
    if (title === 'Chairs')
      await bench.api('POST', `/approvals/requests/${state.pendingApproval.id}/reject`, { reason: 'Too many already.' })
  }
}
