// Handlers of stored views.
import type { View, viewRoutes, ViewKind } from '#shared/contracts/views.ts'
import { viewKinds } from '#shared/contracts/views.ts'
import { notFound, validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { ViewsService } from './api.ts'

type Text = string | readonly string[] | undefined
type ViewParams = { readonly object?: string | undefined; readonly viewId: string }
type KindQuery = Readonly<Partial<Record<'type' | 'viewKind', Text>>>

/** Binds the routes to the service. */
export function viewHandlers(service: ViewsService): Handlers<typeof viewRoutes> {
  const listOf = (ctx: RequestContext, object: string | undefined, query: KindQuery) => {
    const viewKind = kindOf(query)
    const views = service.list(ctx, {
      ...(object === undefined ? {} : { object }),
      ...(viewKind === undefined ? {} : { viewKind }),
    })
    return { ...(object === undefined ? {} : { object }), views }
  }

  /** Behind an object's name only views of that object are found. @throws resource_not_found */
  const found = (ctx: RequestContext, params: ViewParams): View => {
    const view = service.get(ctx, idOf(params))
    if (params.object !== undefined && params.object !== view.object) throw notFound('view', params.viewId)
    return view
  }

  const answer = (view: ReturnType<ViewsService['get']>) => ({ object: view.object, viewId: view.id, view })

  return {
    listViews: (ctx, { query }) => listOf(ctx, last(query.object), query),
    getView(ctx, { params, query }) {
      const { object, viewId } = params
      if (object === undefined && !isViewId(viewId)) return listOf(ctx, viewId, query)
      return answer(found(ctx, params))
    },
    createView: async (ctx, { params, body }) => answer(await service.create(ctx, params.object, body)),
    updateView: async (ctx, { params, body, headers }) =>
      answer(await service.update(ctx, found(ctx, params).id, body, headers['if-match'])),
    replaceView: async (ctx, { params, body, headers }) =>
      answer(await service.update(ctx, found(ctx, params).id, body, headers['if-match'])),
    async deleteView(ctx, { params, headers }) {
      const view = await service.remove(ctx, found(ctx, params).id, headers['if-match'])
      return { object: view.object, viewId: view.id, success: true as const }
    },
  }
}

/** A segment with a dot or a UUID names a view, any other one an object (D-115). */
function isViewId(segment: string): boolean {
  return segment.includes('.') || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(segment)
}

/** Behind an object's name the key alone is enough. */
function idOf({ object, viewId }: ViewParams): string {
  return object === undefined || isViewId(viewId) ? viewId : `${object}.${viewId}`
}

/** @throws validation_error */
function kindOf(query: KindQuery): ViewKind | undefined {
  const value = last(query.viewKind) ?? last(query.type)
  if (value === undefined || value === '') return undefined
  const kind = viewKinds.find((word) => word === value)
  if (kind !== undefined) return kind
  throw validationError([
    { field: 'type', code: 'invalid_option', message: 'A view is a list or a form.', value, constraint: viewKinds },
  ])
}

function last(value: Text): string | undefined {
  return typeof value === 'string' ? value : value?.at(-1)
}
