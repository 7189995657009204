// The door of the search feature: what the palette uses. The screen is loaded by the router itself.
export { MarkedText } from './marked-text.tsx'
export { searchQuery } from './search-queries.ts'
