declare module "worker:layout" {
  const source: string;
  export default source;
}
