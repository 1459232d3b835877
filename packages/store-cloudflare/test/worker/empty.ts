export default { fetch: (): Response => new Response(null) };
