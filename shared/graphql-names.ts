// What objects are called in GraphQL (D-181). Pure; that names are given once is the concern of whoever makes a schema.

/** `crm_account` as `CrmAccount`. */
export function graphqlTypeName(object: string): string {
  return object
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}

/** `crm_account` as `crmAccount`. */
export function graphqlFieldName(object: string): string {
  const name = graphqlTypeName(object)
  return name.slice(0, 1).toLowerCase() + name.slice(1)
}
