// Contracts of what happens to an item over its life: overlays, effective items, states, drafts, older versions
// (D-108 to D-111).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { metadataStates, SchemaChange } from './metadata.ts'

const ItemParams = z.object({ type: z.string(), name: z.string() })
const text = z.union([z.string(), z.array(z.string())]).optional()
const Item = z.record(z.string(), z.unknown())
const Scope = z.enum(['platform', 'user'])

/** What an overlay changes at one place (D-109). */
export const OverlayChange = z
  .looseObject({
    path: z.string().meta({ description: 'JSON Pointer into the item.' }),
    originalValue: z.unknown().optional(),
    currentValue: z.unknown().optional(),
    changedBy: z.string().optional(),
    changedAt: z.string().optional(),
  })
  .meta({ id: 'MetadataOverlayChange' })

/** The overlay record of the specification. */
export const Overlay = z
  .object({
    id: z.uuid(),
    baseType: z.string(),
    baseName: z.string(),
    packageId: z.string().optional(),
    scope: Scope,
    owner: z.string().optional(),
    patch: Item.meta({ description: 'JSON Merge Patch of what differs.' }),
    changes: z.array(OverlayChange),
    active: z.boolean(),
    createdAt: z.string(),
    createdBy: z.string(),
    updatedAt: z.string(),
    updatedBy: z.string(),
  })
  .meta({ id: 'MetadataOverlay' })

/** Body of a put: an overlay record, of which `patch` is needed; what the server gives is ignored. */
export const OverlayBody = z.looseObject({
  patch: Item,
  active: z.boolean().optional(),
  changes: z.array(OverlayChange).max(10_000).optional(),
  scope: Scope.optional(),
  baseType: z.string().optional(),
  baseName: z.string().optional(),
})

const StateResult = z.object({
  type: z.string(),
  name: z.string(),
  version: z.int(),
  state: z.enum(metadataStates),
  plan: z.array(SchemaChange).optional(),
  planHash: z.string().optional(),
})

const common = {
  mount: 'versioned',
  envelope: true,
  permission: 'session',
  channel: 'metadata',
  tag: 'metadata',
} as const

/** Routes of overlays, states, drafts and older versions. */
export const metadataLifecycleRoutes = defineRoutes({
  getMetadataOverlay: defineRoute({
    ...common,
    operationId: 'getMetadataOverlay',
    method: 'GET',
    path: '/meta/:type/:name/overlay',
    params: ItemParams,
    query: z.object({ scope: text }),
    response: Overlay.nullable(),
    rateLimit: 'read',
    errors: ['permission_denied'],
    summary: 'The overlay of the workspace or of the caller; null when there is none.',
  }),
  putMetadataOverlay: defineRoute({
    ...common,
    operationId: 'putMetadataOverlay',
    method: 'PUT',
    path: '/meta/:type/:name/overlay',
    params: ItemParams,
    query: z.object({ scope: text, confirm: text }),
    body: OverlayBody,
    response: Overlay,
    rateLimit: 'write',
    errors: ['destructive_change', 'not_implemented'],
    summary: 'Lay a change over an item; overlays of users are their own.',
  }),
  deleteMetadataOverlay: defineRoute({
    ...common,
    operationId: 'deleteMetadataOverlay',
    method: 'DELETE',
    path: '/meta/:type/:name/overlay',
    params: ItemParams,
    query: z.object({ scope: text, confirm: text }),
    response: z.object({ type: z.string(), name: z.string(), scope: Scope, removed: z.boolean() }),
    rateLimit: 'write',
    errors: ['destructive_change', 'not_implemented'],
    summary: 'Take an overlay away.',
  }),
  getEffectiveMetadata: defineRoute({
    ...common,
    operationId: 'getEffectiveMetadata',
    method: 'GET',
    path: '/meta/:type/:name/effective',
    params: ItemParams,
    query: z.object({ userId: text, state: text, locale: text }),
    response: Item,
    rateLimit: 'read',
    errors: ['permission_denied'],
    summary: 'The item with all overlays, as the caller or the user named sees it.',
  }),
  getMetadataLayers: defineRoute({
    ...common,
    operationId: 'getMetadataLayers',
    method: 'GET',
    path: '/meta/:type/:name/layers',
    params: ItemParams,
    response: z.object({
      base: Item,
      extensions: z.array(z.object({ name: z.string(), item: Item })).optional(),
      platform: Item.optional(),
      user: Item.optional(),
      effective: Item,
    }),
    rateLimit: 'read',
    errors: ['permission_denied'],
    summary: 'What the item is made of: as stored, its overlays, and what they come to.',
  }),
  setMetadataState: defineRoute({
    ...common,
    operationId: 'setMetadataState',
    method: 'POST',
    path: '/meta/:type/:name/state',
    params: ItemParams,
    query: z.object({ confirm: text }),
    body: z.looseObject({ state: z.enum(metadataStates) }),
    response: StateResult,
    rateLimit: 'write',
    errors: ['invalid_state_transition', 'destructive_change', 'not_implemented'],
    summary: 'Move an item to another state of its lifecycle.',
  }),
  publishMetadataItem: defineRoute({
    ...common,
    operationId: 'publishMetadataItem',
    method: 'POST',
    path: '/meta/:type/:name/publish',
    params: ItemParams,
    query: z.object({ confirm: text, force: text }),
    response: StateResult,
    rateLimit: 'write',
    errors: ['invalid_state_transition', 'CONCURRENT_UPDATE', 'destructive_change', 'not_implemented'],
    summary: 'Put a draft into force.',
  }),
  discardMetadataDraft: defineRoute({
    ...common,
    operationId: 'discardMetadataDraft',
    method: 'POST',
    path: '/meta/:type/:name/discard-draft',
    params: ItemParams,
    response: StateResult.extend({ deleted: z.literal(true).optional() }),
    rateLimit: 'write',
    errors: [],
    summary: 'Throw a draft away; an item that was nothing but a draft goes with it.',
  }),
  revertMetadataItem: defineRoute({
    ...common,
    operationId: 'revertMetadataItem',
    method: 'POST',
    path: '/meta/:type/:name/revert',
    params: ItemParams,
    query: z.object({ confirm: text, dryRun: text }),
    body: z.looseObject({ version: z.int().min(1) }),
    response: StateResult.extend({ dryRun: z.literal(true).optional() }),
    rateLimit: 'write',
    errors: ['CONCURRENT_UPDATE', 'destructive_change', 'not_implemented'],
    reads: ['If-Match'],
    summary: 'Store an older version as a new one.',
  }),
})
