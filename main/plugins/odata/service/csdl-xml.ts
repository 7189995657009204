// The model as XML (CSDL). Knows no object.
import type { Csdl, CsdlNavigation, CsdlProperty, CsdlType } from './csdl.ts'
import type { EdmType } from './edm-types.ts'
import { namespace } from './edm-types.ts'

const head = (version: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  `<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="${version}">\n` +
  '<edmx:DataServices>\n' +
  `<Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="${namespace}">\n`
const foot = '</Schema>\n</edmx:DataServices>\n</edmx:Edmx>\n'

/** Writes the model; readers of 4.0 refuse a document that names a later version. */
export function writeXml({ types, sets }: Csdl, version: string): string {
  const byName = new Map(types.map((type) => [type.name, type]))
  return `${head(version)}${types.map(writeType).join('')}${writeContainer(sets, byName)}${foot}`
}

function writeType(type: CsdlType): string {
  const kind = type.isEntity ? 'EntityType' : 'ComplexType'
  const key = type.isEntity ? '<Key><PropertyRef Name="id"/></Key>\n' : ''
  const open = type.isOpen ? ' OpenType="true"' : ''
  const inside = [...type.properties.map(writeProperty), ...type.navigations.map(writeNavigation)].join('')
  return `<${kind} Name="${quote(type.name)}"${open}>\n${key}${inside}</${kind}>\n`
}

function writeProperty({ name, type }: CsdlProperty): string {
  return `<Property Name="${quote(name)}" Type="${typeName(type)}"${facets(type)}/>\n`
}

function facets({ nullable, maxLength, precision, scale }: EdmType): string {
  return (
    (nullable ? '' : ' Nullable="false"') +
    (maxLength === undefined ? '' : ` MaxLength="${maxLength}"`) +
    (precision === undefined ? '' : ` Precision="${precision}"`) +
    (scale === undefined ? '' : ` Scale="${scale}"`)
  )
}

function writeNavigation({ name, type, many, foreignKey, partner }: CsdlNavigation): string {
  const attributes =
    ` Name="${quote(name)}" Type="${many ? `Collection(${type})` : type}"` +
    (partner === null ? '' : ` Partner="${quote(partner)}"`)
  if (foreignKey === null) return `<NavigationProperty${attributes}/>\n`
  const constraint = `<ReferentialConstraint Property="${quote(foreignKey)}" ReferencedProperty="id"/>`
  return `<NavigationProperty${attributes}>${constraint}</NavigationProperty>\n`
}

function writeContainer(sets: readonly string[], types: ReadonlyMap<string, CsdlType>): string {
  const written = sets.map((set) => {
    const bindings = types
      .get(set)!
      .navigations.filter((navigation) => navigation.set !== null)
      .map(({ name, set: target }) => `<NavigationPropertyBinding Path="${quote(name)}" Target="${quote(target!)}"/>`)
      .join('')
    const attributes = ` Name="${quote(set)}" EntityType="${namespace}.${quote(set)}"`
    return bindings === '' ? `<EntitySet${attributes}/>\n` : `<EntitySet${attributes}>${bindings}</EntitySet>\n`
  })
  return `<EntityContainer Name="Container">\n${written.join('')}</EntityContainer>\n`
}

function typeName({ name, isCollection }: EdmType): string {
  return isCollection ? `Collection(${quote(name)})` : quote(name)
}

function quote(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`)
}
