// Answers the view of an object a client should show: the stored default if there is one, else a generated one (D-114).
import { notFound } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { LanguageRequest } from '#shared/language.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectDefinition } from '#shared/object-definition.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { compileObject } from '#shared/object-schema.ts'
import type { MetadataCore } from '../service.ts'
import { refusal } from './check-input.ts'
import type { ViewKind } from './generated-view.ts'
import { generateView, missingParts, viewAnswer, viewKinds } from './generated-view.ts'

/** Objects in the language of a caller, compiled once per body. */
const localised = new WeakMap<object, ObjectSchema>()

/**
 * The view of a kind, with the caller's own overlay and in the caller's language.
 * @throws resource_not_found for an unknown object, validation_error for an unknown kind, permission_denied
 */
export function objectView(
  metadata: Pick<MetadataCore, 'objectSchema' | 'list' | 'visible'>,
  authorizer: Authorizer,
  ctx: RequestContext,
  object: string,
  kind: string,
  language: LanguageRequest = {},
): Record<string, unknown> {
  const schema = metadata.objectSchema(object)
  if (schema === undefined) throw notFound('object', object)
  if (!isViewKind(kind)) {
    throw refusal('type', 'invalid_option', 'A view is a list or a form.', { value: kind, constraint: viewKinds })
  }
  requireObjectAction(authorizer, ctx, object, 'read')
  const defaults = metadata.list('view').filter(({ item }) => {
    const isShared = item['isDefault'] === true && item['scope'] !== 'personal'
    return isShared && item['object'] === object && item['viewKind'] === kind
  })
  // Who makes another view the default need not know which one was.
  const [stored] = defaults.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
  const { body } = metadata.visible(ctx, 'object', object, language)
  const shown = body === schema.definition ? schema : compiled(body)
  const canRead = (field: FieldSchema): boolean =>
    field.system || authorizer.canField(ctx, object, field.name, 'readable')
  if (stored !== undefined) {
    const { label, config } = metadata.visible(ctx, 'view', stored.name, language).body as {
      label?: string
      config?: Record<string, unknown>
    }
    const { name } = stored
    const completed = { ...missingParts(shown, kind, canRead, config ?? {}), ...config }
    return viewAnswer({ object, kind, name, label: label ?? name, generated: false, config: completed })
  }
  return generateView(shown, kind, canRead)
}

function compiled(body: Readonly<Record<string, unknown>>): ObjectSchema {
  let schema = localised.get(body)
  if (schema === undefined) localised.set(body, (schema = compileObject(body as ObjectDefinition)))
  return schema
}

function isViewKind(kind: string): kind is ViewKind {
  return (viewKinds as readonly string[]).includes(kind)
}
