// What other plugins may ask of the graphql service. Types only; the one file they may import.
import type { RequestContext } from '#main/kernel/context.ts'

/** The schema each caller sees. */
export interface GraphqlService {
  /** The caller's schema as text. @throws permission_denied where records are closed to the caller */
  sdl(ctx: RequestContext): Promise<string>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    graphql: GraphqlService
  }
}
