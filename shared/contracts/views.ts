// Contracts of stored views (specification "UI views", D-115).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** The two kinds of view. */
export const viewKinds = ['list', 'form'] as const

/** A word of {@link viewKinds}. */
export type ViewKind = (typeof viewKinds)[number]

/** How a list view shows its records. */
export const listTypes = ['grid', 'kanban', 'calendar', 'gallery', 'timeline', 'gantt', 'map', 'chart'] as const

/** How a form view is laid out. */
export const formTypes = ['simple', 'tabbed', 'wizard', 'split', 'drawer', 'modal'] as const

const Config = z.record(z.string(), z.unknown())

/** A stored view: the item of D-115 with its id, `object.key`. */
export const View = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    object: z.string(),
    viewKind: z.enum(viewKinds),
    label: z.string(),
    config: Config,
    isDefault: z.boolean(),
    scope: z.enum(['package', 'shared', 'personal']),
    owner: z.string().optional(),
    order: z.number().optional(),
    hidden: z.boolean().optional(),
  })
  .meta({ id: 'View' })

/** A stored view. */
export type View = z.output<typeof View>

const ViewList = z.object({ object: z.string().optional(), views: z.array(View) })
const OneView = z.object({ object: z.string(), viewId: z.string(), view: View })
const Body = z.record(z.string(), z.unknown())
const PathOfOne = z.object({ object: z.string().optional(), viewId: z.string() })
const text = z.union([z.string(), z.array(z.string())]).optional()

const shared = { mount: 'versioned', permission: 'session', channel: 'views', tag: 'views' } as const

/** The routes of the `views` plugin. */
export const viewRoutes = defineRoutes({
  listViews: defineRoute({
    ...shared,
    operationId: 'listViews',
    method: 'GET',
    path: '/ui/views',
    query: z.object({ object: text, type: text, viewKind: text }),
    response: ViewList,
    rateLimit: 'read',
    errors: ['permission_denied', 'resource_not_found'],
    summary: 'Stored views, of one object or of all.',
  }),
  getView: defineRoute({
    ...shared,
    operationId: 'getView',
    method: 'GET',
    path: '/ui/views/:viewId',
    aliases: [{ mount: 'versioned', path: '/ui/views/:object/:viewId' }],
    params: PathOfOne,
    query: z.object({ type: text, viewKind: text }),
    response: z.union([OneView, ViewList]),
    rateLimit: 'read',
    errors: ['permission_denied'],
    summary: 'One view by its id; with the name of an object, the views of that object.',
  }),
  createView: defineRoute({
    ...shared,
    operationId: 'createView',
    method: 'POST',
    path: '/ui/views',
    aliases: [{ mount: 'versioned', path: '/ui/views/:object' }],
    params: z.object({ object: z.string().optional() }),
    body: Body,
    response: OneView,
    status: 201,
    rateLimit: 'write',
    errors: ['conflict', 'resource_not_found'],
    summary: 'Create a view.',
  }),
  updateView: defineRoute({
    ...shared,
    operationId: 'updateView',
    method: 'PATCH',
    path: '/ui/views/:viewId',
    params: PathOfOne,
    body: Body,
    response: OneView,
    rateLimit: 'write',
    errors: ['conflict', 'CONCURRENT_UPDATE'],
    reads: ['If-Match'],
    summary: 'Change a view: a JSON Merge Patch over the stored one.',
  }),
  replaceView: defineRoute({
    ...shared,
    operationId: 'replaceView',
    method: 'PUT',
    path: '/ui/views/:object/:viewId',
    params: PathOfOne,
    body: Body,
    response: OneView,
    rateLimit: 'write',
    errors: ['conflict', 'CONCURRENT_UPDATE'],
    reads: ['If-Match'],
    summary: 'Change a view, named by object and key.',
  }),
  deleteView: defineRoute({
    ...shared,
    operationId: 'deleteView',
    method: 'DELETE',
    path: '/ui/views/:viewId',
    aliases: [{ mount: 'versioned', path: '/ui/views/:object/:viewId' }],
    params: PathOfOne,
    response: z.object({ object: z.string(), viewId: z.string(), success: z.literal(true) }),
    rateLimit: 'write',
    errors: ['item_locked', 'delete_restricted', 'CONCURRENT_UPDATE'],
    reads: ['If-Match'],
    summary: 'Delete a view.',
  }),
})
