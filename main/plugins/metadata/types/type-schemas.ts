// The shapes of all metadata types but `object` and `field`, whose definitions are checked by their own rules.
import { z } from 'zod'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { dataShapes } from './data-shapes.ts'
import { screenShapes } from './screen-shapes.ts'
import type { ItemShape } from './shape-parts.ts'
import { listOf, map, name, text } from './shape-parts.ts'
import { workShapes } from './work-shapes.ts'

/** Keys every item may have (D-112). */
const common = {
  name: name.optional(),
  label: text.optional(),
  description: text.optional(),
  tags: listOf(text, 100),
} as const

/** Types of which only the envelope is checked (D-102). */
const opaque: ItemShape = { keys: { config: map.optional() } }

const shapes: Readonly<Record<Exclude<MetadataType, 'object' | 'field'>, ItemShape>> = {
  ...dataShapes,
  ...screenShapes,
  ...workShapes,
  datasource: { keys: { ...opaque.keys, driver: z.unknown().optional(), readOnly: z.unknown().optional() } },
  external_catalog: opaque,
  router: opaque,
  service: opaque,
}

/** A shape made ready: the schema of all keys, and one per variant. */
export interface CompiledShape {
  readonly schema: z.ZodObject
  /** Checked beside the keys, unless `check` does it. */
  readonly variants: {
    readonly by: string
    readonly cases: ReadonlyMap<string, z.ZodObject>
    readonly checkedBelow: boolean
  } | null
  readonly needs: NonNullable<ItemShape['needs']>
  readonly check: NonNullable<ItemShape['check']>
}

const built = new Map(Object.entries(shapes).map(([type, shape]) => [type as MetadataType, compile(shape)]))

/** The shape of a type's items; undefined for `object` and `field`. */
export function itemShape(type: MetadataType): CompiledShape | undefined {
  return built.get(type)
}

function compile({ keys, variants, needs = [], check = () => [] }: ItemShape): CompiledShape {
  return {
    schema: z.looseObject({ ...common, ...keys }),
    variants:
      variants === undefined
        ? null
        : {
            by: variants.by,
            checkedBelow: variants.checkedBelow === true,
            cases: new Map(Object.entries(variants.cases).map(([value, shape]) => [value, z.looseObject(shape)])),
          },
    needs,
    check,
  }
}
