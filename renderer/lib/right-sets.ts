// Owns reading the items rights are made of: permission sets, profiles and roles, and the cache keys they live under.
import { queryOptions } from '@tanstack/react-query'
import { call, callTagged } from './api-client.ts'
import { t } from './strings.ts'

/** Types of items that hold or hand on rights. */
export type RightType = 'permission' | 'profile' | 'role'

/** One item as it is listed; unknown members pass through untouched. */
export interface RightItem {
  name: string
  /** The label, or the name where there is none. */
  label: string
  [key: string]: unknown
}

/** Labels of the profiles that every workspace has, as they are delivered. @source D-43 */
const delivered = {
  administrator: 'Administrator',
  standard: 'Standard',
  readonly: 'Read only',
  guest: 'Guest',
} as const

const isDelivered = (name: string): name is keyof typeof delivered => Object.hasOwn(delivered, name)

/** What a profile is called on screen: a delivered one in the language of the screens, as long as nobody renamed it. */
export function profileLabel(name: string, label?: string): string {
  const isAsDelivered = isDelivered(name) && (label ?? delivered[name]) === delivered[name]
  return isAsDelivered ? t(`rights.${name}`) : (label ?? name)
}

function readRightItem(item: Readonly<Record<string, unknown>>, name: string): RightItem {
  const { label } = item
  return { ...item, name, label: typeof label === 'string' && label !== '' ? label : name }
}

/** All items of a type, by the label they have on screen. @throws ApiError permission_denied */
export function rightSetsQuery(type: RightType) {
  return queryOptions({
    queryKey: ['right-sets', type] as const,
    queryFn: async ({ signal }): Promise<RightItem[]> => {
      const { items } = await call('listMetadataItems', {
        params: { type },
        query: { state: 'active,deprecated' },
        signal,
      })
      return items
        .map((item) => readRightItem(item, String(item['name'])))
        .map((item) => (type === 'profile' ? { ...item, label: profileLabel(item.name, item.label) } : item))
        .toSorted((one, other) => one.label.localeCompare(other.label))
    },
    staleTime: 30_000,
  })
}

/** One item with the version token of what is stored. @throws ApiError resource_not_found */
export function rightSetQuery(type: RightType, name: string) {
  return queryOptions({
    queryKey: ['right-sets', type, name] as const,
    queryFn: async ({ signal }): Promise<{ item: RightItem; etag: string | undefined }> => {
      const { result, etag } = await callTagged('getMetadataItem', { params: { type, name }, signal })
      return { item: readRightItem(result.item, name), etag }
    },
  })
}
