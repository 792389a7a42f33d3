use upstate::Object;

#[derive(Object)]
struct Thing<'a, 'b, T: Clone, const N: usize>
where
    T: 'a,
{
    id: &'a &'b T,
}

fn main() {}
