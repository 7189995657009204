// Owns reading webhooks, their deliveries and receivers, and the cache keys they live under.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { after, paged } from '../../lib/paged-query.ts'

/** A webhook; its secrets read `********`. */
export type Webhook = CallResult<'listWebhooks'>['webhooks'][number]

/** One sending of one event. */
export type Delivery = CallResult<'listWebhookDeliveries'>['deliveries'][number]

/** How a delivery stands. */
export type DeliveryStatus = Delivery['status']

/** A receiver; its secrets read `********`. */
export type Receiver = CallResult<'listReceivers'>['receivers'][number]

/** What stands for a secret, and is taken back as "as it is". */
export const maskedSecret = '********'

const perPage = 200

interface Page {
  hasMore: boolean
  nextCursor?: string | undefined
}

// A workspace has at most some hundred of them: a list of all is what people look through.
async function allOf<P extends Page, T>(ask: (query: { cursor?: string }) => Promise<P>, of: (page: P) => T[]) {
  const found: T[] = []
  let cursor: string | undefined
  do {
    const page = await ask(cursor === undefined ? {} : { cursor })
    found.push(...of(page))
    cursor = page.hasMore ? page.nextCursor : undefined
  } while (cursor !== undefined)
  return found
}

/** All webhooks by name. @throws ApiError permission_denied */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'all'] as const,
  queryFn: async ({ signal }) =>
    allOf(
      async (query) => call('listWebhooks', { query: { limit: perPage, ...query }, signal }),
      (page) => page.webhooks,
    ),
})

/** All receivers by name. @throws ApiError permission_denied */
export const receiversQuery = queryOptions({
  queryKey: ['webhooks', 'receivers'] as const,
  queryFn: async ({ signal }) =>
    allOf(
      async (query) => call('listReceivers', { query: { limit: perPage, ...query }, signal }),
      (page) => page.receivers,
    ),
})

/** Deliveries of a webhook, newest first, page by page; asked for again while one is under way. */
export function deliveriesQuery(name: string, status: DeliveryStatus | '') {
  return infiniteQueryOptions({
    queryKey: ['webhooks', 'deliveries', name, status] as const,
    queryFn: async ({ pageParam, signal }) =>
      call('listWebhookDeliveries', {
        params: { name },
        query: {
          limit: 25,
          ...(status === '' ? {} : { status }),
          ...after(pageParam),
        },
        signal,
      }),
    ...paged,
    refetchInterval: ({ state }) => {
      const shown = state.data?.pages.flatMap((page) => page.deliveries) ?? []
      return shown.some((one) => one.status === 'pending' || one.status === 'in_flight') ? 1_500 : 15_000
    },
  })
}

/** How many deliveries of a webhook were given up. */
export function deadQuery(name: string) {
  return queryOptions({
    queryKey: ['webhooks', 'deliveries', name, 'dead', 'count'] as const,
    queryFn: async ({ signal }) =>
      (await call('listWebhookDeliveries', { params: { name }, query: { status: 'dead', limit: 1 }, signal })).total,
  })
}

/** Names and labels of the flows or functions a receiver may start. @throws ApiError permission_denied */
export function targetsQuery(type: 'flow' | 'function') {
  return queryOptions({
    queryKey: ['webhooks', 'targets', type] as const,
    queryFn: async ({ signal }) => {
      const { items } = await call('listMetadataItems', { params: { type }, query: {}, signal })
      return items.map(({ name, label }) => ({
        value: String(name),
        label: typeof label === 'string' && label !== '' ? label : String(name),
      }))
    },
  })
}

/** Makes everything shown of webhooks be asked for again. */
export async function refreshWebhooks(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: ['webhooks'] })
}
