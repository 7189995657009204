// What other plugins may ask of the packages service. Types only.
import type { PackageRecord } from '#shared/contracts/package-parts.ts'

/** The packages of the workspace. */
export interface PackagesService {
  /** An installed package; undefined when there is none of the id. */
  get(id: string): PackageRecord | undefined
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    packages: PackagesService
  }
}
