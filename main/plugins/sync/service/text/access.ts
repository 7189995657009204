// Which texts can be edited live, and how far a caller's rights over one of them reach at this moment. Asks the data
// service and the authorizer; knows no room and no socket.
import type { ChangeSource } from '#shared/events.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { contextPart } from '#main/kernel/identity.ts'
import type { Caller } from '#main/kernel/identity.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { syncError } from '../../errors.ts'

/** The types of fields whose text is edited live: those that are stored as they were typed. */
const liveTypes: ReadonlySet<string> = new Set(['markdown', 'textarea', 'code'])

/** One text of one record. */
export interface TextPlace {
  readonly object: string
  readonly recordId: string
  readonly field: string
}

/** What a caller may do with a text: nothing, read it, or edit it too. */
export type TextReach = 'none' | 'read' | 'edit'

/** A text that a caller may open. */
export interface OpenableText {
  readonly place: TextPlace
  /** Stays the same when the field is renamed; another field of the name has another one. */
  readonly fieldUid: string
  readonly mayEdit: boolean
}

/** What the questions are answered from. */
export interface TextAccessParts {
  readonly data: Pick<DataService, 'requireRecord' | 'reach' | 'canReadField'>
  schemaOf(object: string): ObjectSchema | undefined
  authorizer(): Authorizer
}

/** Rights over texts. */
export interface TextAccess {
  /**
   * Makes sure that the caller may read a text.
   * @throws resource_not_found, permission_denied, method_not_allowed as the data service answers; sync_document_not_found
   * for a field that is none, that the caller may not read, or whose type is not edited live
   */
  open(ctx: RequestContext, place: TextPlace): OpenableText
  /** What the caller may do now. Never throws. */
  reach(ctx: RequestContext, place: TextPlace): TextReach
  /** The uid of a field that can be edited live; undefined when there is none of the name. */
  uidOf(place: TextPlace): string | undefined
}

/** Makes the access. */
export function createTextAccess({ data, schemaOf, authorizer }: TextAccessParts): TextAccess {
  const fieldOf = ({ object, field }: TextPlace): FieldSchema | undefined => {
    const found = schemaOf(object)?.byName.get(field)
    return found !== undefined && liveTypes.has(found.type) && !found.multiple ? found : undefined
  }

  const mayEdit = (ctx: RequestContext, place: TextPlace, field: FieldSchema): boolean => {
    if (field.readonly || field.computed || ctx.scope?.readOnly === true) return false
    const offered = schemaOf(place.object)?.enable.apiMethods
    if (offered != null && !offered.includes('update')) return false
    return (
      authorizer().canField(ctx, place.object, field.name, 'editable') &&
      data.reach(ctx, { object: place.object, id: place.recordId, action: 'edit' }) === 'open'
    )
  }

  return {
    open(ctx, place) {
      requireApiMethods(schemaOf(place.object), 'get')
      const { id } = data.requireRecord(ctx, { object: place.object, id: place.recordId, action: 'read' })
      const field = fieldOf(place)
      if (field === undefined || !data.canReadField(ctx, place.object, place.field))
        throw syncError('sync_document_not_found', { field: place.field })
      const exact = { ...place, recordId: id }
      return { place: exact, fieldUid: field.uid, mayEdit: mayEdit(ctx, exact, field) }
    },
    reach(ctx, place) {
      const field = fieldOf(place)
      if (field === undefined || !data.canReadField(ctx, place.object, place.field)) return 'none'
      if (data.reach(ctx, { object: place.object, id: place.recordId, action: 'read' }) !== 'open') return 'none'
      return mayEdit(ctx, place, field) ? 'edit' : 'read'
    },
    uidOf: (place) => fieldOf(place)?.uid,
  }
}

/** The context of what a caller does in a room. */
export function textContext(
  caller: Caller,
  request: { readonly requestId: string; readonly source: ChangeSource; readonly permissionEpoch: number },
): RequestContext {
  return {
    ...contextPart(caller),
    ...request,
    locale: 'en',
    signal: neverAborted,
    depth: 0,
    deprecations: [],
  }
}

const neverAborted = new AbortController().signal
