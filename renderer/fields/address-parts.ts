// Owns the names of the parts of an address, in their order. @source D-94 address

/** The parts a stored address may have. */
export const addressParts = ['street', 'city', 'state', 'postalCode', 'country', 'countryCode', 'formatted'] as const
