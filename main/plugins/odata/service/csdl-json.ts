// The model as JSON (CSDL JSON 4.01). Knows no object.
import type { Csdl, CsdlNavigation, CsdlProperty, CsdlType } from './csdl.ts'
import { namespace } from './edm-types.ts'

type Json = Record<string, unknown>

/** The model; what is left out has the default of the format: a text that is not null. */
export function writeJson({ types, sets }: Csdl): Json {
  const byName = new Map(types.map((type) => [type.name, type]))
  const container: Json = { $Kind: 'EntityContainer' }
  for (const set of sets) {
    const bindings = byName.get(set)!.navigations.filter((navigation) => navigation.set !== null)
    container[set] = {
      $Collection: true,
      $Type: `${namespace}.${set}`,
      ...(bindings.length === 0
        ? {}
        : { $NavigationPropertyBinding: Object.fromEntries(bindings.map(({ name, set: to }) => [name, to])) }),
    }
  }
  const schema: Json = Object.fromEntries(types.map((type) => [type.name, writeType(type)]))
  schema['Container'] = container
  return { $Version: '4.01', $EntityContainer: `${namespace}.Container`, [namespace]: schema }
}

function writeType(type: CsdlType): Json {
  return {
    $Kind: type.isEntity ? 'EntityType' : 'ComplexType',
    ...(type.isEntity ? { $Key: ['id'] } : {}),
    ...(type.isOpen ? { $OpenType: true } : {}),
    ...Object.fromEntries(type.properties.map((property) => [property.name, writeProperty(property)])),
    ...Object.fromEntries(type.navigations.map((navigation) => [navigation.name, writeNavigation(navigation)])),
  }
}

function writeProperty({ type }: CsdlProperty): Json {
  const { name, isCollection, nullable, maxLength, precision, scale } = type
  return {
    ...(isCollection ? { $Collection: true } : {}),
    ...(name === 'Edm.String' ? {} : { $Type: name }),
    ...(nullable ? { $Nullable: true } : {}),
    ...(maxLength === undefined ? {} : { $MaxLength: maxLength }),
    ...(precision === undefined ? {} : { $Precision: precision }),
    ...(scale === undefined ? {} : { $Scale: scale }),
  }
}

function writeNavigation({ type, many, foreignKey, partner }: CsdlNavigation): Json {
  return {
    $Kind: 'NavigationProperty',
    ...(many ? { $Collection: true } : {}),
    $Type: type,
    ...(many ? {} : { $Nullable: true }),
    ...(partner === null ? {} : { $Partner: partner }),
    ...(foreignKey === null ? {} : { $ReferentialConstraint: { [foreignKey]: 'id' } }),
  }
}
