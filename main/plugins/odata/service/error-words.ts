// Puts the names of the protocol's options into errors of the data engine.
import { PlatformError } from '#shared/errors.ts'

const options: Readonly<Record<string, string>> = {
  filter: '$filter',
  select: '$select',
  sort: '$orderby',
  top: '$top',
  skip: '$skip',
  cursor: '$skiptoken',
  expand: '$expand',
  search: '$search',
  count: '$count',
  aggregations: '$apply',
  groupBy: '$apply',
  having: '$filter',
}

/** Runs a read; what it says of a parameter is said of the option. */
export async function inOptionWords<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'invalid_query') throw error
    const { parameter } = error.details
    const option = typeof parameter === 'string' && Object.hasOwn(options, parameter) ? options[parameter] : undefined
    if (option === undefined) throw error
    const definition = { ...error, message: error.message }
    throw new PlatformError(error.code, definition, { ...error.details, parameter: option }, error.cause)
  }
}
