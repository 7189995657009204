// What packages deliver: read by package, changed as one write, with what belongs to it in the same transaction (D-127,
// D-133). Knows no package.
import { PlatformError } from '#shared/errors.ts'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import type { DeliveredChange, DeliveredItem, DeliveryPlan, MetadataDeliveries, MetadataItem } from '../api.ts'
import { findMetadataType, typeEntry } from '../types/type-entries.ts'
import { extendedObject } from './extensions.ts'
import type { ItemCache } from './item-cache.ts'
import { allItems } from './item-cache.ts'
import type { Body } from './json-values.ts'
import { fieldsOf, textOf } from './json-values.ts'
import type { Pipeline } from './pipeline.ts'
import { requireConsent } from './plan-schema.ts'
import { withoutUids } from './uids.ts'

/** Makes the deliveries over the items of a host. */
export function createDeliveries(cache: ItemCache, bundle: Pipeline['bundleBuilt']): MetadataDeliveries {
  const stored = (): MetadataItem[] => allItems(cache).map(({ type, name }) => cache.base(type, name)!)

  const delivered = (item: MetadataItem): DeliveredItem => {
    const { type, name, uid, state, packageId, namespace } = item
    const overlay = cache.overlay(type, name, null)
    return {
      type,
      name,
      uid,
      item: withoutUids(type, item.item),
      state,
      packageId,
      namespace,
      fieldUids: type === 'object' ? uidsIn(item.item) : {},
      overlay: overlay === undefined ? null : { patch: overlay.patch, active: overlay.active },
    }
  }

  return {
    typeOf: findMetadataType,
    item(type, name) {
      const item = cache.base(type, name)
      return item === undefined ? undefined : delivered(item)
    },
    itemsOf: (packageId) =>
      stored()
        .filter((item) => item.packageId === packageId)
        .map(delivered)
        .toSorted((a, b) => loadOrder(a) - loadOrder(b)),
    counts() {
      const counts = new Map<string, Record<string, number>>()
      for (const { packageId, type } of stored()) {
        if (packageId === null) continue
        const of = counts.get(packageId) ?? {}
        of[type] = (of[type] ?? 0) + 1
        counts.set(packageId, of)
      }
      return counts
    },
    inNamespace: (namespace) =>
      stored()
        .filter((item) => item.namespace === namespace)
        .map(delivered),
    async deliver(ctx, build, { dryRun = false, confirm, along }) {
      let changes: readonly DeliveredChange[] = []
      let plan: DeliveryPlan['plan'] = []
      const entries = () => (changes = build().toSorted(inOrder)).map((change) => ({ delivered: change }))
      const { outcomes } = await bundle(ctx, entries, {
        each: false,
        dryRun,
        ...(along === undefined ? {} : { along }),
        agree(prepared) {
          const work = prepared.flatMap((one) => one.work)
          plan = work.flatMap((one) => one.plan.map((step) => ({ object: (one.next ?? one.previous)!.name, ...step })))
          if (!dryRun) requireConsent(plan, confirm)
        },
      })
      for (const [index, outcome] of outcomes.entries()) {
        if (!outcome.ok) throw about(changes[index]!, outcome.error)
      }
      return { plan, ...(plan.length === 0 ? {} : { planHash: canonicalHash(plan) }) }
    },
  }
}

function uidsIn(body: Body): Record<string, string> {
  const fields = Object.entries(fieldsOf(body))
  return Object.fromEntries(
    fields.flatMap(([name, field]): [string, string][] => {
      const uid = textOf(field, 'uid')
      return uid === undefined ? [] : [[name, uid]]
    }),
  )
}

/** The refusal of a change, with the item it is about. */
function about({ type, name }: DeliveredChange, error: PlatformError): PlatformError {
  return new PlatformError(error.code, error, { ...error.details, item: { type, name } }, error)
}

function loadOrder({ type }: Pick<MetadataItem, 'type'>): number {
  return typeEntry(type).loadOrder
}

/** What others refer to comes first and goes last; objects come before what extends them. */
function inOrder(a: DeliveredChange, b: DeliveredChange): number {
  const leaves = a.change === 'remove'
  if (leaves !== (b.change === 'remove')) return leaves ? 1 : -1
  if (leaves) return loadOrder(b) - loadOrder(a)
  return loadOrder(a) - loadOrder(b) || Number(extendsOther(a)) - Number(extendsOther(b))
}

function extendsOther(change: DeliveredChange): boolean {
  return change.change === 'save' && change.type === 'object' && extendedObject(change.item) !== null
}
