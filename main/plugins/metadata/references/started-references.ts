// The settings of what is started or written by triggers, actions and steps of flows: which item it starts, which object
// it writes, and the fields it fills (D-98, D-112, D-151).
import { isJsonMap } from '#shared/merge-patch.ts'
import { textOf } from '../service/json-values.ts'
import { choose, each, everyMember, inTurn, keys, members } from './edits.ts'
import { expression, fieldPath, filter, itemName, template } from './reference-visitor.ts'
import type { ReferenceVisitor } from './reference-visitor.ts'

/** Settings of something that is started or written: the flow, the function, the object and the values it gets. */
export function startedReferences(visitor: ReferenceVisitor, object: string | null, config: unknown): unknown {
  const written = textOf(config, 'object') ?? object
  const path = fieldPath(visitor, written)
  const values = inTurn(
    everyMember(() => template(visitor, object)),
    keys((key) => path(key) as string),
  )
  return members({
    object: itemName(visitor, 'object', 'reference'),
    flow: itemName(visitor, 'flow', 'triggers'),
    function: itemName(visitor, 'function', 'triggers'),
    view: itemName(visitor, 'view', 'reference'),
    page: itemName(visitor, 'page', 'reference'),
    template: itemName(visitor, 'email_template', 'reference'),
    filter: filter(visitor, written),
    condition: expression(visitor, object),
    matchFields: each(path),
    select: each(path),
    fields: choose((value) => (isJsonMap(value) ? values : each(path))),
    data: values,
    values,
  })(config)
}
