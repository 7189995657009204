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

/** Labels and descriptions of the profiles that every workspace has, as they are delivered. @source D-43 */
const delivered = {
  administrator: ['Administrator', 'May do everything.'],
  standard: ['Standard', 'Works with records of every object.'],
  readonly: ['Read only', 'Sees records of every object.'],
  guest: ['Guest', 'May do nothing until something is granted.'],
} as const

const isDelivered = (name: string): name is keyof typeof delivered => Object.hasOwn(delivered, name)

/** What a profile is called on screen: a delivered one in the language of the screens, as long as nobody renamed it. */
export function profileLabel(name: string, label?: string): string {
  const isAsDelivered = isDelivered(name) && (label ?? delivered[name][0]) === delivered[name][0]
  return isAsDelivered ? t(`rights.${name}`) : (label ?? name)
}

/** An item as it is shown, delivered texts in the language of the screens. @internal Seen by tests. */
export function readRightItem(type: RightType, item: Readonly<Record<string, unknown>>, name: string): RightItem {
  const { label } = item
  const read = { ...item, name, label: typeof label === 'string' && label !== '' ? label : name }
  if (type !== 'profile') return read
  const isPlain = isDelivered(name) && item['description'] === delivered[name][1]
  return {
    ...read,
    label: profileLabel(name, read.label),
    ...(isPlain ? { description: t(`rights.${name}.text`) } : {}),
  }
}

/** The item to store for one that was read here: what a delivered profile still says is stored as it was delivered. */
export function storedRightItem<Item extends RightItem>(type: RightType, item: Item): Item {
  const { name } = item
  if (type !== 'profile' || !isDelivered(name)) return item
  return {
    ...item,
    ...(item.label === t(`rights.${name}`) ? { label: delivered[name][0] } : {}),
    ...(item['description'] === t(`rights.${name}.text`) ? { description: delivered[name][1] } : {}),
  }
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
        .map((item) => readRightItem(type, item, String(item['name'])))
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
      return { item: readRightItem(type, result.item, name), etag }
    },
  })
}
