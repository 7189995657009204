// Answers the view of an object a client should show: the stored default if there is one, else a generated one (D-114).
import { notFound, validationError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '../api.ts'
import type { ViewKind } from './generated-view.ts'
import { generateView, viewAnswer, viewKinds } from './generated-view.ts'

/**
 * The view of a kind.
 * @throws resource_not_found for an unknown object, validation_error for an unknown kind, permission_denied
 */
export function objectView(
  metadata: Pick<MetadataService, 'objectSchema' | 'list'>,
  authorizer: Authorizer,
  ctx: RequestContext,
  object: string,
  kind: string,
): Record<string, unknown> {
  const schema = metadata.objectSchema(object)
  if (schema === undefined) throw notFound('object', object)
  if (!isViewKind(kind)) {
    throw validationError([
      {
        field: 'type',
        code: 'invalid_option',
        message: 'A view is a list or a form.',
        value: kind,
        constraint: viewKinds,
      },
    ])
  }
  requireObjectAction(authorizer, ctx, object, 'read')
  const stored = metadata.list('view').find(({ item, state }) => {
    if (state !== 'active' && state !== 'deprecated') return false
    return (
      item['object'] === object &&
      item['viewKind'] === kind &&
      item['isDefault'] === true &&
      item['scope'] !== 'personal'
    )
  })
  if (stored !== undefined) {
    const { label, config } = stored.item as { label?: string; config?: Record<string, unknown> }
    return viewAnswer({
      object,
      kind,
      name: stored.name,
      label: label ?? stored.name,
      generated: false,
      config: config ?? {},
    })
  }
  return generateView(schema, kind, (field) => field.system || authorizer.canField(ctx, object, field.name, 'readable'))
}

function isViewKind(kind: string): kind is ViewKind {
  return (viewKinds as readonly string[]).includes(kind)
}
